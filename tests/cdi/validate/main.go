// validate FILE…: each as a CDI spec: by the schema of the specification, and by the library with which Docker and podman read it. Prints
// for each its kind and the names of its devices.
package main

import (
	"fmt"
	"os"
	"sort"
	"strings"

	"tags.cncf.io/container-device-interface/pkg/cdi"
	"tags.cncf.io/container-device-interface/pkg/parser"
	"tags.cncf.io/container-device-interface/schema"
)

func describe(path string) (string, error) {
	if err := schema.BuiltinSchema().ValidateFile(path); err != nil {
		return "", fmt.Errorf("by the schema: %w", err)
	}
	spec, err := cdi.ReadSpec(path, 0)
	if err != nil {
		return "", err
	}
	names := []string{}
	for _, device := range spec.Devices {
		if name := spec.Kind + "=" + device.Name; !parser.IsQualifiedName(name) {
			return "", fmt.Errorf("no engine takes --device %s", name)
		}
		names = append(names, device.Name)
	}
	sort.Strings(names)
	return spec.Kind + " " + strings.Join(names, " "), nil
}

func main() {
	status := 0
	for _, path := range os.Args[1:] {
		text, err := describe(path)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			status = 1
			continue
		}
		fmt.Println(text)
	}
	os.Exit(status)
}
