// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// A manifest is a list of Kubernetes objects, as `kustomize build` renders them, in JSON. What stands in a pod and is not known here is an
// error: it would have to be done.

// elsewhere is what the API server, the scheduler or a later moment of the kubelet is told: no part of making the containers.
type elsewhere = json.RawMessage

type metadata struct {
	Name, Namespace     string
	Labels, Annotations map[string]string
}

type object struct {
	Kind     string
	Metadata metadata
	Data     map[string]string
	Spec     json.RawMessage
}

type podSpec struct {
	InitContainers, Containers    []container
	Volumes                       []volume
	HostNetwork                   bool
	TerminationGracePeriodSeconds int64

	PriorityClassName, ServiceAccountName, AutomountServiceAccountToken, EnableServiceLinks, NodeSelector, Affinity, Tolerations, RestartPolicy elsewhere
}

type container struct {
	Name, Image     string
	Command, Args   []string
	SecurityContext securityContext
	VolumeMounts    []struct {
		Name, MountPath, SubPath string
		ReadOnly                 bool
	}
	StartupProbe, ReadinessProbe, LivenessProbe *probe
	Resources                                   struct {
		Limits   map[string]string
		Requests elsewhere
	}

	Ports elsewhere
}

type securityContext struct {
	RunAsUser                int64
	RunAsGroup               *int64
	RunAsNonRoot             bool
	ReadOnlyRootFilesystem   bool
	AllowPrivilegeEscalation *bool
	Capabilities             struct{ Add, Drop []string }
	SeccompProfile           struct{ Type string }
	SeLinuxOptions           struct{ Type, Level string }
}

type probe struct {
	Exec                                                                                   struct{ Command []string }
	PeriodSeconds, FailureThreshold, TimeoutSeconds, InitialDelaySeconds, SuccessThreshold elsewhere

	TcpSocket elsewhere // it is not tried here
}

type volume struct {
	Name      string
	HostPath  *struct{ Path, Type string }
	ConfigMap *struct{ Name string }
	EmptyDir  *struct{ Medium, SizeLimit string }
}

func unmarshal(text []byte, to any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	must(decoder.Decode(to))
}

func readManifest(path string) []object {
	text, err := os.ReadFile(path)
	must(err)
	var objects []object
	must(json.Unmarshal(text, &objects))
	return objects
}

func find(objects []object, kind, namespace, name string) *object {
	for i := range objects {
		o := &objects[i]
		if o.Kind == kind && o.Metadata.Name == name && (namespace == "" || o.Metadata.Namespace == namespace) {
			return o
		}
	}
	must(fmt.Errorf("no %s %s in the manifest", kind, name))
	return nil
}

// podOf is the pod that an object is, or that a DaemonSet makes for this node.
func podOf(o *object) (metadata, podSpec) {
	var spec podSpec
	if o.Kind == "Pod" {
		unmarshal(o.Spec, &spec)
		return o.Metadata, spec
	}
	var set struct {
		Selector, UpdateStrategy elsewhere
		Template                 struct {
			Metadata metadata
			Spec     podSpec
		}
	}
	if o.Kind != "DaemonSet" {
		must(fmt.Errorf("%s: no pod, and nothing that makes one on each node", o.Kind))
	}
	unmarshal(o.Spec, &set)
	meta := set.Template.Metadata
	meta.Name, meta.Namespace = o.Metadata.Name, o.Metadata.Namespace
	return meta, set.Template.Spec
}

// quantity knows what manifests of ours have.
func quantity(text string) int64 {
	shift := 0
	for i, suffix := range []string{"Ki", "Mi", "Gi"} {
		if strings.HasSuffix(text, suffix) {
			text, shift = strings.TrimSuffix(text, suffix), 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	must(err)
	return n << shift
}
