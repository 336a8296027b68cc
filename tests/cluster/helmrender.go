// SPDX-License-Identifier: Apache-2.0

// helmrender renders a Helm chart as far as ours needs it, since Debian has no helm:
//
//	helmrender CHART [VALUES]    prints the objects of CHART/templates, with the values of the file VALUES merged over the chart's own
//
// As Helm does (pkg/chartutil/values.go, pkg/engine/engine.go): maps are merged key by key, null takes a default away, a template has .Values,
// .Chart and .Release, a missing key is no error, and what is only white space is no object. Functions of sprig's are here only if the chart uses
// them; another one is an error.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"
)

var functions = template.FuncMap{
	"sha256sum": func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) },
	"trunc": func(length int, text string) string {
		return text[:min(length, len(text))]
	},
	"toJson": func(value any) (string, error) {
		text, err := json.Marshal(value)
		return string(text), err
	},
}

func read(path string) (map[string]any, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	if err := yaml.UnmarshalStrict(text, &values); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return values, nil
}

func merge(into, from map[string]any) {
	for key, value := range from {
		below, isMap := value.(map[string]any)
		old, wasMap := into[key].(map[string]any)
		switch {
		case value == nil:
			delete(into, key)
		case isMap && wasMap:
			merge(old, below)
		default:
			into[key] = value
		}
	}
}

// scope is what a template sees as its dot.
func scope(chart string, files []string) (map[string]any, error) {
	values, err := read(filepath.Join(chart, "values.yaml"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		given, err := read(file)
		if err != nil {
			return nil, err
		}
		merge(values, given)
	}
	about, err := read(filepath.Join(chart, "Chart.yaml"))
	if err != nil {
		return nil, err
	}
	about["AppVersion"] = about["appVersion"]
	return map[string]any{"Values": values, "Chart": about, "Release": map[string]any{"Namespace": "default"}}, nil
}

func render(path string, dot map[string]any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	parsed, err := template.New(path).Option("missingkey=zero").Funcs(functions).Parse(string(text))
	if err != nil {
		return err
	}
	var out strings.Builder
	if err := parsed.Execute(&out, dot); err != nil {
		return err
	}
	if strings.TrimSpace(out.String()) == "" {
		return nil
	}
	fmt.Printf("---\n# %s\n%s\n", filepath.Base(path), strings.TrimPrefix(strings.TrimSpace(out.String()), "---"))
	return nil
}

func run(arguments []string) error {
	if len(arguments) == 0 {
		return errors.New("usage: helmrender CHART [VALUES]")
	}
	dot, err := scope(arguments[0], arguments[1:])
	if err != nil {
		return err
	}
	found, err := filepath.Glob(filepath.Join(arguments[0], "templates", "*"))
	if err != nil || len(found) == 0 {
		return fmt.Errorf("%s: no templates (%w)", arguments[0], err)
	}
	for _, path := range found {
		if os.Getenv("NOTES") == "" == (filepath.Base(path) == "NOTES.txt") {
			continue
		}
		if err := render(path, dot); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "helmrender:", err)
		os.Exit(1)
	}
}
