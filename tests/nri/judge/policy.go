// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/containerd/nri/pkg/api"
	"sigs.k8s.io/yaml"
)

// policy is OpenShift's draft of one (config/openshift/nri-mutation-policy.yaml). Debian's NRI has no validators yet, so that its rules are here,
// and what NRI makes of a refusal: ValidationResult of pkg/api/validate.go, v0.12.0.
type policy struct {
	Spec struct {
		Policies []struct {
			Namespaces []string
			Mutations  struct {
				Type      string
				AllowList []string
			}
			Mode string
		}
	}
}

func readPolicy(file string) *policy {
	text, err := os.ReadFile(file)
	must(err)
	p := &policy{}
	must(yaml.UnmarshalStrict(text, p))
	return p
}

// mutations are the draft's categories of what a plugin has changed, but for Resources: NRI 0.6 fills them in itself, and does not say who set them.
func mutations(adjust *api.ContainerAdjustment) []string {
	var all []string
	linux := adjust.GetLinux()
	for _, category := range []struct {
		name    string
		changed bool
	}{
		{"Env", len(adjust.GetEnv()) > 0},
		{"Mounts", len(adjust.GetMounts()) > 0},
		{"Annotations", len(adjust.GetAnnotations()) > 0},
		{"Hooks", adjust.GetHooks().Hooks() != nil},
		{"Devices", len(linux.GetDevices()) > 0},
		{"Other", len(adjust.GetRlimits()) > 0 || linux.GetCgroupsPath() != ""},
	} {
		if category.changed {
			all = append(all, category.name)
		}
	}
	return all
}

// validate refuses what the first entry for the namespace does not allow.
func (p *policy) validate(namespace string, adjust *api.ContainerAdjustment) error {
	for _, entry := range p.Spec.Policies {
		if !slices.Contains(entry.Namespaces, namespace) && !slices.Contains(entry.Namespaces, "*") {
			continue
		}
		refused := slices.DeleteFunc(mutations(adjust), func(category string) bool {
			return entry.Mutations.Type == "AllowAll" || slices.Contains(entry.Mutations.AllowList, category)
		})
		if entry.Mode != "strict" || len(refused) == 0 {
			return nil
		}
		return fmt.Errorf("validator %q rejected container adjustment, reason: namespace %s may not have %s", "10-allow-mutations", namespace,
			strings.Join(refused, ", "))
	}
	return nil
}
