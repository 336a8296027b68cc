// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// The kubelet hands a pod's configuration over again with each of its containers.
const kept = "/run/cri"

// namespacesOf: as the kubelet asks for them with hostUsers: false, in which case it gives a pod 65536 ids (pkg/kubelet/userns)
func namespacesOf(hostIDs int64) *cri.NamespaceOption {
	if hostIDs == 0 {
		return &cri.NamespaceOption{Network: cri.NamespaceMode_NODE, Pid: cri.NamespaceMode_CONTAINER}
	}
	ids := []*cri.IDMapping{{HostId: uint32(hostIDs), ContainerId: 0, Length: 65536}}
	return &cri.NamespaceOption{
		Network: cri.NamespaceMode_POD, Pid: cri.NamespaceMode_CONTAINER,
		UsernsOptions: &cri.UserNamespace{Mode: cri.NamespaceMode_POD, Uids: ids, Gids: ids},
	}
}

func (c *client) runPod(o *options, name string) string {
	return c.runSandbox(o, &cri.PodSandboxConfig{
		Metadata: &cri.PodSandboxMetadata{Name: name, Uid: "uid-" + name, Namespace: o.namespace},
		Linux: &cri.LinuxPodSandboxConfig{
			CgroupParent: "/kubepods/" + name,
			SecurityContext: &cri.LinuxSandboxSecurityContext{
				NamespaceOptions: namespacesOf(o.hostIDs),
			},
		},
	})
}

func (c *client) runSandbox(o *options, config *cri.PodSandboxConfig) string {
	config.LogDirectory = filepath.Join(kept, "log", config.Metadata.Uid)
	config.Annotations = o.annotations
	must(os.MkdirAll(config.LogDirectory, 0o755))
	response, err := c.RunPodSandbox(c.ctx, &cri.RunPodSandboxRequest{Config: config, RuntimeHandler: o.handler})
	must(err)
	text, err := json.Marshal(config)
	must(err)
	must(os.WriteFile(filepath.Join(kept, response.PodSandboxId), text, 0o644))
	return response.PodSandboxId
}

func podConfig(pod string) *cri.PodSandboxConfig {
	text, err := os.ReadFile(filepath.Join(kept, pod))
	must(err)
	config := &cri.PodSandboxConfig{}
	must(json.Unmarshal(text, config))
	return config
}

func (c *client) create(o *options, pod, name string, command []string) (string, error) {
	config := &cri.ContainerConfig{
		Metadata:    &cri.ContainerMetadata{Name: name},
		Image:       &cri.ImageSpec{Image: o.image, UserSpecifiedImage: o.image},
		Command:     command,
		Labels:      map[string]string{"io.kubernetes.container.name": name},
		Annotations: o.annotations,
		LogPath:     name + ".log",
		Linux: &cri.LinuxContainerConfig{
			Resources: &cri.LinuxContainerResources{MemoryLimitInBytes: o.memory},
			SecurityContext: &cri.LinuxContainerSecurityContext{
				RunAsUser:        &cri.Int64Value{Value: o.user},
				NamespaceOptions: namespacesOf(o.hostIDs),
			},
		},
	}
	for _, path := range o.mounts {
		config.Mounts = append(config.Mounts, &cri.Mount{ContainerPath: path, HostPath: path, Readonly: true})
	}
	o.allocate(config)
	return c.createOf(pod, config)
}

// allocate: as a device plugin has the kubelet do it
func (o *options) allocate(config *cri.ContainerConfig) {
	for _, entry := range o.env {
		key, value, _ := strings.Cut(entry, "=")
		config.Envs = append(config.Envs, &cri.KeyValue{Key: key, Value: value})
	}
	for _, path := range o.devices {
		config.Devices = append(config.Devices, &cri.Device{ContainerPath: path, HostPath: path, Permissions: "rwm"})
	}
}

func (c *client) createOf(pod string, config *cri.ContainerConfig) (string, error) {
	response, err := c.CreateContainer(c.ctx,
		&cri.CreateContainerRequest{PodSandboxId: pod, Config: config, SandboxConfig: podConfig(pod)})
	if err != nil {
		return "", err
	}
	return response.ContainerId, nil
}

func (c *client) start(id string) error {
	_, err := c.StartContainer(c.ctx, &cri.StartContainerRequest{ContainerId: id})
	return err
}

func (c *client) status(id string) *cri.ContainerStatus {
	response, err := c.ContainerStatus(c.ctx, &cri.ContainerStatusRequest{ContainerId: id})
	must(err)
	return response.Status
}

func (c *client) wait(id string) {
	for c.status(id).State == cri.ContainerState_CONTAINER_RUNNING {
		time.Sleep(100 * time.Millisecond)
	}
}

// A line of the log is "TIME STREAM F TEXT".
func (c *client) logs(id string) { c.print(os.Stdout, id) }

func (c *client) print(to io.Writer, id string) {
	file, err := os.Open(c.status(id).LogPath)
	must(err)
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if parts := strings.SplitN(lines.Text(), " ", 4); len(parts) == 4 {
			fmt.Fprintln(to, parts[3])
		}
	}
}

func (c *client) remove(id string) error {
	if _, err := c.StopContainer(c.ctx, &cri.StopContainerRequest{ContainerId: id}); err != nil {
		return err
	}
	_, err := c.RemoveContainer(c.ctx, &cri.RemoveContainerRequest{ContainerId: id})
	return err
}

func (c *client) removePod(pod string) {
	_, err := c.StopPodSandbox(c.ctx, &cri.StopPodSandboxRequest{PodSandboxId: pod})
	must(err)
	_, err = c.RemovePodSandbox(c.ctx, &cri.RemovePodSandboxRequest{PodSandboxId: pod})
	must(err)
	removeVolumes(pod)
	must(os.RemoveAll(podConfig(pod).LogDirectory))
}

func (c *client) hasNetwork() int {
	response, err := c.Status(c.ctx, &cri.StatusRequest{})
	must(err)
	for _, condition := range response.Status.Conditions {
		if condition.Type == cri.NetworkReady && condition.Status {
			return 0
		}
	}
	return 1
}

// churn prints "created N" or "failed N: WHY", so that a reader knows how far it is. A container is removed after it has ended: StopContainer kills one
// that still runs, and fails with "ttrpc: closed" if containerd deletes the task meanwhile (1.7, pkg/cri/server/container_stop.go).
func (c *client) churn(o *options, arguments []string) {
	count, err := strconv.Atoi(arguments[2])
	must(err)
	for i := 1; i <= count; i++ {
		id, err := c.create(o, arguments[0], fmt.Sprintf("%s-%d", arguments[1], i), arguments[3:])
		if err == nil {
			if err = c.start(id); err == nil {
				c.wait(id)
				err = c.remove(id)
			}
		}
		if err != nil {
			fmt.Printf("failed %d: %v\n", i, err)
		} else {
			fmt.Printf("created %d\n", i)
		}
	}
}
