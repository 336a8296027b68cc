// SPDX-License-Identifier: Apache-2.0

// kubecheck says what a Kubernetes API server would say of our files, with its own types and CEL, and without a server.
//
//	kubecheck FILE…             every object: of a known kind, no unknown or duplicate field, each value of its field's type
//	kubecheck --policy FILE     evaluates the ValidatingAdmissionPolicy of FILE for each request of a JSON stream on stdin:
//	                            {"object":…,"oldObject":…,"namespaceObject":…}; prints "allow" or "deny: MESSAGE", a line each
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

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
	admission "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	node "k8s.io/api/node/v1"
	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
)

func newDecoder() (runtime.Decoder, error) {
	scheme := runtime.NewScheme()
	builders := []func(*runtime.Scheme) error{
		admission.AddToScheme, apps.AddToScheme, batch.AddToScheme, core.AddToScheme, node.AddToScheme,
	}
	for _, add := range builders {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme, scheme,
		serializer.SerializerOptions{Yaml: true, Strict: true}), nil
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
		object, _, err := decoder.Decode(document, nil, nil)
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

// newEnvironment is the CEL of admission policies in Kubernetes 1.30, as far as it is not the server's own library.
func newEnvironment() (*cel.Env, error) {
	return cel.NewEnv(
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
	names     []string
	variables []cel.Program
	rules     []rule
}

func compilePolicy(spec admission.ValidatingAdmissionPolicySpec) (*policy, error) {
	env, err := newEnvironment()
	if err != nil {
		return nil, err
	}
	compiled := &policy{}
	for _, variable := range spec.Variables {
		program, err := compile(env, variable.Expression, nil)
		if err != nil {
			return nil, err
		}
		compiled.names = append(compiled.names, variable.Name)
		compiled.variables = append(compiled.variables, program)
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

// decide fails where the server would fall back on the policy's failurePolicy.
func (p *policy) decide(request map[string]any) (string, error) {
	input := map[string]any{"object": nil, "oldObject": nil, "namespaceObject": nil}
	for key, value := range request {
		input[key] = value
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
	admissionPolicy, ok := all[0].(*admission.ValidatingAdmissionPolicy)
	if !ok {
		return fmt.Errorf("%s: not a ValidatingAdmissionPolicy", path)
	}
	compiled, err := compilePolicy(admissionPolicy.Spec)
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
