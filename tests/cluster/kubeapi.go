// SPDX-License-Identifier: Apache-2.0

// kubeapi SCHEMAS DIRECTORY is an API server for the kinds of SCHEMAS, "GROUP/VERSION KIND: OPENAPI-SCHEMA", on the port of DIRECTORY/port. What decides
// is the API server's own code, by the schemas: apimachinery's managedfields for server-side apply (who owns which entry, which conflict there is), and
// its validation of annotations. Objects live as long as the process; DIRECTORY/requests has a line for each change: STATUS METHOD PATH.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/managedfields/managedfieldstest"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/yaml"
)

type kind struct {
	schema.GroupVersionKind
	plural     string
	namespaced bool
	owners     *managedfields.FieldManager
}

type server struct {
	kinds   map[string]*kind // by "GROUP/VERSION/PLURAL"
	objects map[string]*unstructured.Unstructured
	log     io.Writer
	changes int
}

// Groups whose kinds belong to the cluster and to no namespace
var clusterGroups = map[string]bool{"machineconfiguration.openshift.io": true, "operator.openshift.io": true, "security.openshift.io": true}

// complete gives a schema the types that the API server demands, and the fields that each object has.
func complete(node map[string]any) {
	if _, has := node["properties"]; has {
		node["type"] = "object"
	}
	if node["type"] == "object" && node["properties"] == nil && node["additionalProperties"] == nil {
		node["x-kubernetes-preserve-unknown-fields"] = true
	}
	for _, value := range node {
		if inner, is := value.(map[string]any); is {
			complete(inner)
		}
	}
}

func readKinds(path string) (map[string]*kind, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var named map[string]map[string]any
	if err := yaml.Unmarshal(text, &named); err != nil {
		return nil, err
	}
	kinds, models := map[string]*kind{}, map[string]*spec.Schema{}
	for name, object := range named {
		version, kindName, _ := strings.Cut(name, " ")
		groupVersion, err := schema.ParseGroupVersion(version)
		if err != nil {
			return nil, err
		}
		gvk := groupVersion.WithKind(kindName)
		plural, _ := meta.UnsafeGuessKindToResource(gvk)
		complete(object)
		fields := object["properties"].(map[string]any)
		fields["apiVersion"], fields["kind"] = map[string]any{"type": "string"}, map[string]any{"type": "string"}
		fields["metadata"] = map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
		object["x-kubernetes-group-version-kind"] = []any{map[string]any{"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind}}
		encoded, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		models[name] = &spec.Schema{}
		if err := json.Unmarshal(encoded, models[name]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		kinds[version+"/"+plural.Resource] = &kind{gvk, plural.Resource, !clusterGroups[gvk.Group], nil}
	}
	converter, err := managedfields.NewTypeConverter(models, false)
	for _, k := range kinds {
		k.owners = managedfieldstest.NewFakeFieldManager(converter, k.GroupVersionKind)
	}
	return kinds, err
}

// ---- discovery, for kubectl ----

func (s *server) discover(path string) any {
	groups, resources, documents := map[string]metav1.APIGroup{}, []metav1.APIResource{}, map[string]any{}
	operations := map[string]any{}
	for _, k := range s.kinds {
		version := k.GroupVersion().String()
		found := metav1.GroupVersionForDiscovery{GroupVersion: version, Version: k.Version}
		groups[k.Group] = metav1.APIGroup{Name: k.Group, Versions: []metav1.GroupVersionForDiscovery{found}, PreferredVersion: found}
		documents["apis/"+version] = map[string]string{"serverRelativeURL": "/openapi/v3/apis/" + version}
		if !strings.HasSuffix(path, "/apis/"+version) {
			continue
		}
		resources = append(resources, metav1.APIResource{Name: k.plural, SingularName: strings.ToLower(k.Kind), Namespaced: k.namespaced,
			Kind: k.Kind, Verbs: metav1.Verbs{"create", "delete", "get", "list", "patch", "update"}})
		// kubectl leaves the judgement of fields to a server that says so.
		operations["/"+k.plural] = map[string]any{"patch": map[string]any{
			"parameters":                      []any{map[string]string{"name": "fieldValidation", "in": "query"}},
			"x-kubernetes-group-version-kind": map[string]string{"group": k.Group, "version": k.Version, "kind": k.Kind}}}
	}
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for _, group := range groups {
		list.Groups = append(list.Groups, group)
	}
	switch {
	case path == "/api":
		return metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}}
	case path == "/apis":
		return list
	case path == "/openapi/v3":
		return map[string]any{"paths": documents}
	case strings.HasPrefix(path, "/openapi/v3/"):
		return map[string]any{"openapi": "3.0.0", "paths": operations}
	case len(resources) > 0:
		return metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
			GroupVersion: strings.TrimPrefix(path, "/apis/"), APIResources: resources}
	}
	return nil
}

// ---- objects ----

// locate is the kind and the name that a path has, /apis/GROUP/VERSION[/namespaces/NAME]/PLURAL[/NAME].
func (s *server) locate(path string) (*kind, string) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) > 5 && parts[3] == "namespaces" {
		parts = append(parts[:3:3], parts[5:]...)
	}
	if len(parts) < 4 {
		return nil, ""
	}
	return s.kinds[strings.Join(parts[1:4], "/")], strings.Join(parts[4:], "/")
}

// merge is RFC 7386: what kubectl apply and kubectl annotate send for a kind that Kubernetes does not have.
func merge(to, patch map[string]any) map[string]any {
	for name, value := range patch {
		inner, is := value.(map[string]any)
		old, was := to[name].(map[string]any)
		switch {
		case value == nil:
			delete(to, name)
		case is && was:
			to[name] = merge(old, inner)
		default:
			to[name] = value
		}
	}
	return to
}

// changed is the object after a request.
func (s *server) changed(k *kind, live *unstructured.Unstructured, r *http.Request, body map[string]any) (*unstructured.Unstructured, error) {
	manager := r.URL.Query().Get("fieldManager")
	if manager == "" {
		manager = "kubectl"
	}
	if types.PatchType(r.Header.Get("Content-Type")) == types.ApplyPatchType {
		applied, err := k.owners.Apply(live, &unstructured.Unstructured{Object: body}, manager, r.URL.Query().Get("force") == "true")
		if err != nil {
			return nil, err
		}
		return applied.(*unstructured.Unstructured), nil
	}
	next := &unstructured.Unstructured{Object: body}
	if r.Method == http.MethodPatch {
		next.Object = merge(live.DeepCopy().Object, body)
	}
	updated, err := k.owners.Update(live, next, manager)
	if err != nil {
		return nil, err
	}
	return updated.(*unstructured.Unstructured), nil
}

func (s *server) store(k *kind, path string, r *http.Request) (*unstructured.Unstructured, error) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var body map[string]any
	if err := yaml.Unmarshal(text, &body); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if r.Method == http.MethodPost {
		path += "/" + (&unstructured.Unstructured{Object: body}).GetName()
	}
	live, there := s.objects[path]
	if !there {
		live = &unstructured.Unstructured{Object: map[string]any{}}
		live.SetGroupVersionKind(k.GroupVersionKind)
	}
	next, err := s.changed(k, live.DeepCopy(), r, body)
	if err != nil {
		return nil, err
	}
	if problems := validation.ValidateAnnotations(next.GetAnnotations(), field.NewPath("metadata", "annotations")); len(problems) > 0 {
		return nil, apierrors.NewInvalid(k.GroupKind(), next.GetName(), problems)
	}
	s.changes++
	next.SetResourceVersion(fmt.Sprint(s.changes))
	next.SetUID(types.UID(path))
	s.objects[path] = next
	return next, nil
}

func (s *server) serve(r *http.Request) (any, error) {
	path := strings.TrimRight(r.URL.Path, "/")
	if found := s.discover(path); found != nil {
		return found, nil
	}
	k, name := s.locate(path)
	if k == nil {
		return nil, errors.New("the server could not find the requested resource")
	}
	object, there := s.objects[path]
	switch {
	case r.Method == http.MethodPost, r.Method == http.MethodPatch:
		return s.store(k, path, r)
	case name == "":
		list := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": k.GroupVersion().String(), "kind": k.Kind + "List"}}
		for place, each := range s.objects {
			if strings.HasPrefix(place, path+"/") {
				list.Items = append(list.Items, *each)
			}
		}
		return list.UnstructuredContent(), nil
	case !there:
		return nil, apierrors.NewNotFound(schema.GroupResource{Group: k.Group, Resource: k.plural}, name)
	case r.Method == http.MethodDelete:
		delete(s.objects, path)
		return metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess}, nil
	}
	return object, nil
}

// ServeHTTP answers one request after the other.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := s.serve(r)
	code := http.StatusOK
	if err != nil {
		status := metav1.Status{Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound, Message: err.Error()}
		if known := apierrors.APIStatus(nil); errors.As(err, &known) {
			status = known.Status()
		}
		status.Kind, status.APIVersion, status.Status = "Status", "v1", metav1.StatusFailure
		answer, code = status, int(status.Code)
	}
	if r.Method != http.MethodGet {
		fmt.Fprintln(s.log, code, r.Method, r.URL.Path)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(answer)
}

func run(schemas, directory string) error {
	kinds, err := readKinds(schemas)
	if err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(directory, "requests"))
	if err != nil {
		return err
	}
	one := make(chan bool, 1) // a request at a time
	handler := &server{kinds: kinds, objects: map[string]*unstructured.Unstructured{}, log: log}
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one <- true
		handler.ServeHTTP(w, r)
		<-one
	}))
	port := listening.URL[strings.LastIndex(listening.URL, ":")+1:]
	if err := os.WriteFile(filepath.Join(directory, "port.new"), []byte(port), 0o644); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(directory, "port.new"), filepath.Join(directory, "port")); err != nil {
		return err
	}
	select {}
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: kubeapi SCHEMAS DIRECTORY")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "kubeapi:", err)
		os.Exit(1)
	}
}
