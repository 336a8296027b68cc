// SPDX-License-Identifier: Apache-2.0

// kubecheck says what a Kubernetes API server would say of our files, with its own types and CEL, and without a server.
//
//	kubecheck FILE…             every object: of a known kind, no unknown or duplicate field, each value of its field's type
//	kubecheck --policy FILE     evaluates the admission policy of FILE for each request of a JSON stream on stdin:
//	                            {"object":…,"oldObject":…,"namespaceObject":…}; prints a line each: for a ValidatingAdmissionPolicy
//	                            "allow" or "deny: MESSAGE", for a MutatingAdmissionPolicy "unchanged" or "patch: OP PATH VALUE"
//
// Kinds of OpenShift's are no part of these types; what is known of them is checked in the suites.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/ext"
	admission "k8s.io/api/admissionregistration/v1"
	mutation "k8s.io/api/admissionregistration/v1alpha1"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	events "k8s.io/api/events/v1"
	network "k8s.io/api/networking/v1"
	node "k8s.io/api/node/v1"
	rbac "k8s.io/api/rbac/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
)

func newDecoder() (runtime.Decoder, error) {
	scheme := runtime.NewScheme()
	builders := []func(*runtime.Scheme) error{
		admission.AddToScheme, apps.AddToScheme, batch.AddToScheme, core.AddToScheme, mutation.AddToScheme,
		events.AddToScheme, network.AddToScheme, node.AddToScheme, rbac.AddToScheme,
	}
	for _, add := range builders {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme, scheme,
		serializer.SerializerOptions{Yaml: true, Strict: true}), nil
}

// These types have MutatingAdmissionPolicy as v1alpha1 (Kubernetes 1.32). v1beta1 and v1 have the same fields.
var (
	mutating       = regexp.MustCompile(`(?m)^kind: MutatingAdmissionPolicy(Binding)?$`)
	mutatingSince  = regexp.MustCompile(`(?m)^apiVersion: admissionregistration\.k8s\.io/v1(beta1)?$`)
	mutatingAsHere = []byte("apiVersion: admissionregistration.k8s.io/v1alpha1")
)

func asKnownHere(document []byte) []byte {
	if mutating.Match(document) {
		return mutatingSince.ReplaceAll(document, mutatingAsHere)
	}
	return document
}

// objects decodes all documents of a file.
func objects(path string) ([]runtime.Object, error) {
	decoder, err := newDecoder()
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var all []runtime.Object
	for documents := yaml.NewYAMLReader(bufio.NewReader(file)); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		object, _, err := decoder.Decode(asKnownHere(document), nil, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: document %d: %w", path, len(all)+1, err)
		}
		all = append(all, object)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no object", path)
	}
	return all, nil
}

// patchTypes adds JSONPatch{op, path, from, value}, which the server has in a MutatingAdmissionPolicy; its value is a map here.
type patchTypes struct{ *types.Registry }

const patchType = "JSONPatch"

func (p patchTypes) FindStructType(name string) (*types.Type, bool) {
	if name == patchType {
		return types.NewTypeTypeWithParam(types.NewObjectType(patchType)), true
	}
	return p.Registry.FindStructType(name)
}

func (p patchTypes) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if name != patchType {
		return p.Registry.FindStructFieldType(name, field)
	}
	known := map[string]*types.Type{"op": types.StringType, "path": types.StringType, "from": types.StringType, "value": types.DynType}
	kind, found := known[field]
	return &types.FieldType{Type: kind}, found
}

func (p patchTypes) NewValue(name string, fields map[string]ref.Val) ref.Val {
	if name != patchType {
		return p.Registry.NewValue(name, fields)
	}
	return p.NativeToValue(fields)
}

// newEnvironment is the CEL of admission policies in Kubernetes 1.30, as far as it is not the server's own library.
func newEnvironment() (*cel.Env, error) {
	registry, err := types.NewRegistry()
	if err != nil {
		return nil, err
	}
	return cel.NewEnv(
		cel.CustomTypeAdapter(registry), cel.CustomTypeProvider(patchTypes{registry}),
		cel.HomogeneousAggregateLiterals(), cel.EagerlyValidateDeclarations(true), cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true), cel.OptionalTypes(), ext.Strings(ext.StringsVersion(2)), ext.Sets(),
		cel.Variable("object", cel.DynType), cel.Variable("oldObject", cel.DynType),
		cel.Variable("namespaceObject", cel.DynType), cel.Variable("variables", cel.MapType(cel.StringType, cel.DynType)))
}

func compile(env *cel.Env, expression string, want *cel.Type) (cel.Program, error) {
	ast, issues := env.Compile(expression)
	if issues.Err() != nil {
		return nil, issues.Err()
	}
	if want != nil && !ast.OutputType().IsExactType(want) {
		return nil, fmt.Errorf("%s: its type is %s, not %s", expression, ast.OutputType(), want)
	}
	return env.Program(ast)
}

type rule struct {
	validation, message cel.Program
}

type policy struct {
	namespaces labels.Selector
	conditions []cel.Program
	names      []string
	variables  []cel.Program
	rules      []rule        // of a ValidatingAdmissionPolicy
	mutations  []cel.Program // of a MutatingAdmissionPolicy
}

func (p *policy) addVariable(env *cel.Env, name, expression string) error {
	program, err := compile(env, expression, nil)
	p.names = append(p.names, name)
	p.variables = append(p.variables, program)
	return err
}

func (p *policy) setNamespaces(selector *meta.LabelSelector) error {
	if selector == nil {
		selector = &meta.LabelSelector{}
	}
	var err error
	p.namespaces, err = meta.LabelSelectorAsSelector(selector)
	return err
}

func compileMutation(spec mutation.MutatingAdmissionPolicySpec) (*policy, error) {
	env, err := newEnvironment()
	if err != nil {
		return nil, err
	}
	compiled := &policy{}
	if err := compiled.setNamespaces(spec.MatchConstraints.NamespaceSelector); err != nil {
		return nil, err
	}
	for _, condition := range spec.MatchConditions {
		program, err := compile(env, condition.Expression, cel.BoolType)
		if err != nil {
			return nil, err
		}
		compiled.conditions = append(compiled.conditions, program)
	}
	for _, variable := range spec.Variables {
		if err := compiled.addVariable(env, variable.Name, variable.Expression); err != nil {
			return nil, err
		}
	}
	for _, change := range spec.Mutations {
		program, err := compile(env, change.JSONPatch.Expression, cel.ListType(cel.ObjectType(patchType)))
		if err != nil {
			return nil, err
		}
		compiled.mutations = append(compiled.mutations, program)
	}
	return compiled, nil
}

func compilePolicy(spec admission.ValidatingAdmissionPolicySpec) (*policy, error) {
	env, err := newEnvironment()
	if err != nil {
		return nil, err
	}
	compiled := &policy{}
	if err := compiled.setNamespaces(spec.MatchConstraints.NamespaceSelector); err != nil {
		return nil, err
	}
	for _, variable := range spec.Variables {
		if err := compiled.addVariable(env, variable.Name, variable.Expression); err != nil {
			return nil, err
		}
	}
	for _, validation := range spec.Validations {
		test, err := compile(env, validation.Expression, cel.BoolType)
		if err != nil {
			return nil, err
		}
		message, err := compile(env, validation.MessageExpression, cel.StringType)
		if err != nil {
			return nil, err
		}
		compiled.rules = append(compiled.rules, rule{test, message})
	}
	return compiled, nil
}

// matches says whether the policy is asked about this request at all.
func (p *policy) matches(input map[string]any) (bool, error) {
	var namespace struct {
		Metadata struct {
			Labels map[string]string `json:"labels"`
		} `json:"metadata"`
	}
	if text, err := json.Marshal(input["namespaceObject"]); err != nil {
		return false, err
	} else if err := json.Unmarshal(text, &namespace); err != nil {
		return false, err
	}
	if !p.namespaces.Matches(labels.Set(namespace.Metadata.Labels)) {
		return false, nil
	}
	for _, condition := range p.conditions {
		if good, _, err := condition.Eval(input); err != nil || good.Value() != true {
			return false, err
		}
	}
	return true, nil
}

// mutate renders the patches.
func (p *policy) mutate(input map[string]any) (string, error) {
	text := ""
	for _, program := range p.mutations {
		value, _, err := program.Eval(input)
		if err != nil {
			return "", err
		}
		patches, err := value.ConvertToNative(reflect.TypeOf([]map[string]any{}))
		if err != nil {
			return "", err
		}
		for _, patch := range patches.([]map[string]any) {
			text += fmt.Sprintf("patch: %v %v %v", patch["op"], patch["path"], patch["value"])
		}
	}
	return text, nil
}

// decide fails where the server would fall back on the policy's failurePolicy.
func (p *policy) decide(request map[string]any) (string, error) {
	input := map[string]any{"object": nil, "oldObject": nil, "namespaceObject": nil}
	for key, value := range request {
		input[key] = value
	}
	if asked, err := p.matches(input); err != nil {
		return "", err
	} else if !asked && p.mutations != nil {
		return "unchanged", nil
	}
	variables := map[string]any{}
	input["variables"] = variables
	for i, program := range p.variables {
		value, _, err := program.Eval(input)
		if err != nil {
			return "", fmt.Errorf("variables.%s: %w", p.names[i], err)
		}
		variables[p.names[i]] = value
	}
	if p.mutations != nil {
		return p.mutate(input)
	}
	for _, rule := range p.rules {
		good, _, err := rule.validation.Eval(input)
		if err != nil {
			return "", err
		}
		if good.Value() == true {
			continue
		}
		message, _, err := rule.message.Eval(input)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("deny: %v", message.Value()), nil
	}
	return "allow", nil
}

func decideAll(path string) error {
	all, err := objects(path)
	if err != nil {
		return err
	}
	var compiled *policy
	switch found := all[0].(type) {
	case *admission.ValidatingAdmissionPolicy:
		compiled, err = compilePolicy(found.Spec)
	case *mutation.MutatingAdmissionPolicy:
		compiled, err = compileMutation(found.Spec)
	default:
		err = errors.New("not an admission policy")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for requests := json.NewDecoder(os.Stdin); ; {
		var request map[string]any
		if err := requests.Decode(&request); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		decision, err := compiled.decide(request)
		if err != nil {
			decision = fmt.Sprintf("error: %v", err)
		}
		fmt.Println(decision)
	}
}

func run(arguments []string) error {
	if len(arguments) == 2 && arguments[0] == "--policy" {
		return decideAll(arguments[1])
	}
	if len(arguments) == 0 {
		return errors.New("usage: kubecheck FILE… | kubecheck --policy FILE")
	}
	for _, path := range arguments {
		all, err := objects(path)
		if err != nil {
			return err
		}
		for _, object := range all {
			fmt.Printf("%s: %s\n", path, object.GetObjectKind().GroupVersionKind().Kind)
		}
	}
	return nil
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "kubecheck:", err)
		os.Exit(1)
	}
}
