// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// What the kubelet does with a pod of a manifest, in its own words (kubernetes, pkg/kubelet): the volumes, with the modes that it gives
// them, the security context, the devices of whoever asks for some, the startup probe.

func (c *client) apply(o *options, path, which string) {
	kind, name, _ := strings.Cut(which, "/")
	objects := readManifest(path)
	meta, spec := podOf(find(objects, kind, "", name))
	o.namespace = meta.Namespace
	o.annotations = meta.Annotations
	pod := c.runPodOf(o, &meta, &spec)
	fmt.Println(pod)
	for i := range spec.InitContainers {
		c.runToItsEnd(c.runContainerOf(o, pod, &meta, &spec, &spec.InitContainers[i], objects))
	}
	for i := range spec.Containers {
		fmt.Println(c.runContainerOf(o, pod, &meta, &spec, &spec.Containers[i], objects))
	}
}

// runToItsEnd: an init container; what it printed is shown on stderr
func (c *client) runToItsEnd(id string) {
	c.wait(id)
	c.print(os.Stderr, id)
	if code := c.status(id).ExitCode; code != 0 {
		must(fmt.Errorf("the init container ended with status %d", code))
	}
}

// named: the manifest's container that the one with this id was made of
func (c *client) named(spec *podSpec, id string) *container {
	name := c.status(id).Metadata.Name
	for i := range spec.Containers {
		if spec.Containers[i].Name == name {
			return &spec.Containers[i]
		}
	}
	must(fmt.Errorf("no container %s in the manifest", name))
	return nil
}

// tryProbe: a probe that the manifest has for the container with this id, once: its status
func (c *client) tryProbe(path, which, name, id string) int {
	kind, object, _ := strings.Cut(which, "/")
	_, spec := podOf(find(readManifest(path), kind, "", object))
	ours := c.named(&spec, id)
	probes := map[string]*probe{"startup": ours.StartupProbe, "readiness": ours.ReadinessProbe, "liveness": ours.LivenessProbe}
	if probes[name] == nil {
		must(fmt.Errorf("%s, %s: no %s probe", which, ours.Name, name))
	}
	return c.execSync(id, probes[name].Exec.Command)
}

// restart: a container of the manifest's that has ended is made again in its pod, as the kubelet does; prints its id
func (c *client) restart(o *options, path, which, pod, id string) {
	kind, name, _ := strings.Cut(which, "/")
	objects := readManifest(path)
	meta, spec := podOf(find(objects, kind, "", name))
	ours := c.named(&spec, id)
	c.wait(id)
	must(c.remove(id))
	fmt.Println(c.runContainerOf(o, pod, &meta, &spec, ours, objects))
}

// deletePod: SIGTERM to all containers at a time, as the kubelet ends a pod (killContainersWithSyncResult). It would kill them after the
// manifest's terminationGracePeriodSeconds: here they may take their time, and must end.
func (c *client) deletePod(pod string) {
	response, err := c.ListContainers(c.ctx, &cri.ListContainersRequest{Filter: &cri.ContainerFilter{PodSandboxId: pod}})
	must(err)
	var group sync.WaitGroup
	for _, container := range response.Containers {
		group.Add(1)
		go func(id string) {
			defer group.Done()
			_, err := c.StopContainer(c.ctx, &cri.StopContainerRequest{ContainerId: id, Timeout: int64(patience.Seconds())})
			must(err)
		}(container.Id)
	}
	group.Wait()
	c.removePod(pod)
}

// Each container has process ids of its own, as the kubelet asks for without shareProcessNamespace and hostPID (PidNamespaceForPod); the
// zero value is one namespace for the pod.
func networkOf(spec *podSpec) cri.NamespaceMode {
	if spec.HostNetwork {
		return cri.NamespaceMode_NODE
	}
	return cri.NamespaceMode_POD
}

func (c *client) runPodOf(o *options, meta *metadata, spec *podSpec) string {
	return c.runSandbox(o, &cri.PodSandboxConfig{
		Metadata: &cri.PodSandboxMetadata{Name: meta.Name, Uid: "uid-" + meta.Name + o.handler, Namespace: meta.Namespace},
		Labels:   meta.Labels,
		Linux: &cri.LinuxPodSandboxConfig{
			CgroupParent: "/kubepods/" + meta.Name + o.handler,
			SecurityContext: &cri.LinuxSandboxSecurityContext{
				NamespaceOptions: &cri.NamespaceOption{Network: networkOf(spec), Pid: cri.NamespaceMode_CONTAINER},
			},
		},
	})
}

func (c *client) runContainerOf(o *options, pod string, meta *metadata, spec *podSpec, container *container, objects []object) string {
	config := &cri.ContainerConfig{
		Metadata: &cri.ContainerMetadata{Name: container.Name},
		Image:    &cri.ImageSpec{Image: container.Image, UserSpecifiedImage: container.Image},
		Command:  container.Command,
		Args:     container.Args,
		Labels:   map[string]string{"io.kubernetes.container.name": container.Name},
		LogPath:  container.Name + ".log",
		Linux: &cri.LinuxContainerConfig{
			Resources:       &cri.LinuxContainerResources{MemoryLimitInBytes: memoryOf(container)},
			SecurityContext: securityOf(&container.SecurityContext, networkOf(spec)),
		},
	}
	for _, mount := range container.VolumeMounts {
		config.Mounts = append(config.Mounts, &cri.Mount{
			ContainerPath: mount.MountPath,
			HostPath:      filepath.Join(volumeOf(pod, meta.Namespace, mount.Name, spec, objects), mount.SubPath),
			Readonly:      mount.ReadOnly,
		})
	}
	if asksForDevices(container) {
		o.allocate(config)
	}
	id, err := c.createOf(pod, config)
	must(err)
	must(c.start(id))
	c.waitForStart(id, container.StartupProbe)
	return id
}

func memoryOf(container *container) int64 {
	if text, found := container.Resources.Limits["memory"]; found {
		return quantity(text)
	}
	return 0
}

// An extended resource has a domain's name: the device plugin's part is what the options say.
func asksForDevices(container *container) bool {
	for name := range container.Resources.Limits {
		if strings.Contains(name, "/") {
			return true
		}
	}
	return false
}

func securityOf(context *securityContext, network cri.NamespaceMode) *cri.LinuxContainerSecurityContext {
	security := &cri.LinuxContainerSecurityContext{
		RunAsUser:        &cri.Int64Value{Value: context.RunAsUser},
		ReadonlyRootfs:   context.ReadOnlyRootFilesystem,
		NoNewPrivs:       context.AllowPrivilegeEscalation != nil && !*context.AllowPrivilegeEscalation,
		Capabilities:     &cri.Capability{AddCapabilities: context.Capabilities.Add, DropCapabilities: context.Capabilities.Drop},
		NamespaceOptions: &cri.NamespaceOption{Network: network, Pid: cri.NamespaceMode_CONTAINER},
	}
	if context.RunAsGroup != nil {
		security.RunAsGroup = &cri.Int64Value{Value: *context.RunAsGroup}
	}
	if context.RunAsNonRoot && context.RunAsUser == 0 {
		must(fmt.Errorf("a container that must not run as root has user 0"))
	}
	switch context.SeccompProfile.Type {
	case "":
	case "RuntimeDefault":
		security.Seccomp = &cri.SecurityProfile{ProfileType: cri.SecurityProfile_RuntimeDefault}
	default:
		must(fmt.Errorf("seccompProfile %s", context.SeccompProfile.Type))
	}
	if context.SeLinuxOptions.Type != "" {
		security.SelinuxOptions = &cri.SELinuxOption{Type: context.SeLinuxOptions.Type, Level: context.SeLinuxOptions.Level}
	}
	return security
}

// ---- volumes ----

func volumesOf(pod string) string { return filepath.Join(kept, "volumes", pod) }

func volumeOf(pod, namespace, name string, spec *podSpec, objects []object) string {
	for _, volume := range spec.Volumes {
		path := filepath.Join(volumesOf(pod), name)
		_, made := os.Stat(path) // for another container of the pod
		switch {
		case volume.Name != name:
			continue
		case volume.HostPath != nil:
			return hostPath(volume.HostPath.Path, volume.HostPath.Type)
		case made == nil:
			return path
		case volume.ConfigMap != nil:
			writeFiles(path, find(objects, "ConfigMap", namespace, volume.ConfigMap.Name).Data)
			return path
		case volume.EmptyDir != nil:
			makeEmpty(path, volume.EmptyDir.Medium, volume.EmptyDir.SizeLimit)
			return path
		}
	}
	must(fmt.Errorf("no volume %s", name))
	return ""
}

func hostPath(path, kind string) string {
	if kind == "DirectoryOrCreate" {
		must(os.MkdirAll(path, 0o755))
		kind = "Directory"
	}
	info, err := os.Stat(path)
	must(err)
	if (kind != "Directory" && kind != "") || !info.IsDir() {
		must(fmt.Errorf("hostPath %s of type %q", path, kind))
	}
	return path
}

// writeFiles: root's, 0644, each by way of two symbolic links (pkg/volume/util/atomic_writer.go)
func writeFiles(dir string, data map[string]string) {
	if _, err := os.Stat(dir); err == nil {
		return // another container of the pod has it, too
	}
	must(os.MkdirAll(filepath.Join(dir, "..2026"), 0o755))
	must(os.Symlink("..2026", filepath.Join(dir, "..data")))
	for name, text := range data {
		must(os.WriteFile(filepath.Join(dir, "..2026", name), []byte(text), 0o644))
		must(os.Symlink(filepath.Join("..data", name), filepath.Join(dir, name)))
	}
}

// makeEmpty: writable by all, on a file system of its own where it is memory (pkg/volume/emptydir/empty_dir.go)
func makeEmpty(dir, medium, size string) {
	if _, err := os.Stat(dir); err == nil {
		return
	}
	must(os.MkdirAll(dir, 0o777))
	must(os.Chmod(dir, 0o777))
	if medium == "Memory" {
		must(syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", quantity(size))))
	}
}

func removeVolumes(pod string) {
	mounts, err := filepath.Glob(filepath.Join(volumesOf(pod), "*"))
	must(err)
	for _, path := range mounts {
		_ = syscall.Unmount(path, 0)
	}
	must(os.RemoveAll(volumesOf(pod)))
}

// ---- the startup probe ----

// The kubelet would count its failures, and start the container again: here it may take its time, and must not end.
func (c *client) waitForStart(id string, startup *probe) {
	for startup != nil {
		response, err := c.ExecSync(c.ctx, &cri.ExecSyncRequest{ContainerId: id, Cmd: startup.Exec.Command})
		must(err)
		if response.ExitCode == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}
