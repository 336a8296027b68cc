// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"github.com/containerd/nri/pkg/api"
)

// A kind of container: how often it is created among a thousand, and how it differs from the plain one.
type kind struct {
	name   string
	often  int
	differ func(*api.PodSandbox, *api.Container)
}

const (
	inject = "oci-rdma-hook.io/inject"
	device = "/dev/infiniband/uverbs"
)

// The devices are those of tests/nodes/h100.json.
var kinds = []kind{
	{"plain", 860, func(*api.PodSandbox, *api.Container) {}},
	{"bare", 10, func(pod *api.PodSandbox, c *api.Container) {
		*pod = api.PodSandbox{Id: pod.Id}
		*c = api.Container{Id: c.Id}
	}},
	{"gpu", 20, func(_ *api.PodSandbox, c *api.Container) { character(c, "/dev/nvidia0", 195, 0) }},
	{"wordy", 5, func(_ *api.PodSandbox, c *api.Container) { words(c) }},
	{"unasked", 20, func(_ *api.PodSandbox, c *api.Container) { allocate(c) }},
	{"refused", 5, func(pod *api.PodSandbox, c *api.Container) { asks(pod, "false"); allocate(c) }},
	{"without-device", 10, func(pod *api.PodSandbox, _ *api.Container) { asks(pod, "true") }},
	{"sidecar", 10, func(pod *api.PodSandbox, c *api.Container) {
		asks(pod, "true")
		pod.Annotations["oci-rdma-hook.io/containers"] = "other"
		allocate(c)
	}},
	{"other-namespace", 10, func(pod *api.PodSandbox, c *api.Container) {
		asks(pod, "true")
		pod.Namespace = "other"
		allocate(c)
	}},
	{"forged-namespace", 10, func(pod *api.PodSandbox, c *api.Container) {
		asks(pod, "true")
		pod.Namespace = "other"
		for _, key := range []string{"io.kubernetes.pod.namespace", "io.kubernetes.cri.sandbox-namespace"} {
			pod.Annotations[key] = "team-a"
			c.Annotations[key] = "team-a"
		}
		allocate(c)
	}},
	{"forged-env", 5, func(pod *api.PodSandbox, c *api.Container) {
		asks(pod, "true")
		c.Env = append(c.Env, "PCIDEVICE_OPENSHIFT_IO_RDMA=0000:3b:02.6,0000:5d:00.3")
	}},
	{"granted", 20, func(pod *api.PodSandbox, c *api.Container) { asks(pod, "true"); allocate(c) }},
	{"granted-by-container", 5, func(_ *api.PodSandbox, c *api.Container) {
		c.Annotations[inject] = "true"
		allocate(c)
	}},
	{"granted-wordy", 5, func(pod *api.PodSandbox, c *api.Container) { asks(pod, "true"); allocate(c); words(c) }},
	{"unlimited", 5, func(pod *api.PodSandbox, c *api.Container) {
		asks(pod, "true")
		allocate(c)
		c.Rlimits = []*api.POSIXRlimit{{Type: "RLIMIT_MEMLOCK", Hard: ^uint64(0), Soft: ^uint64(0)}}
	}},
}

func asks(pod *api.PodSandbox, value string) { pod.Annotations[inject] = value }

func character(c *api.Container, path string, major, minor int64) {
	c.Linux.Devices = append(c.Linux.Devices, &api.LinuxDevice{Path: path, Type: "c", Major: major, Minor: minor,
		FileMode: api.FileMode(uint32(0o666)), Uid: api.UInt32(uint32(0)), Gid: api.UInt32(uint32(0))})
}

// Two virtual functions, the env's order being the other way round than the devices'
func allocate(c *api.Container) {
	character(c, device+"6", 231, 198)
	character(c, device+"7", 231, 199)
	c.Env = append(c.Env, "PCIDEVICE_OPENSHIFT_IO_RDMA=0000:5d:00.3,0000:3b:02.6")
}

// So much that a message comes in a hundred frames
func words(c *api.Container) {
	for i := 0; i < 400; i++ {
		c.Env = append(c.Env, fmt.Sprintf("WORD_%d=%s", i, strings.Repeat("x", 1000)))
	}
}

func mount(kind, destination, source string, options ...string) *api.Mount {
	return &api.Mount{Type: kind, Destination: destination, Source: source, Options: options}
}

// What containerd 1.7.24 sends for a small pod, about 3 KB
func plain(id int) (*api.PodSandbox, *api.Container) {
	sandbox, name := fmt.Sprintf("%064x", id), fmt.Sprintf("trainer-%d", id)
	state := "/var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes/" + sandbox
	pod := &api.PodSandbox{
		Id: sandbox, Name: name, Uid: fmt.Sprintf("uid-%d", id), Namespace: "team-a",
		Labels: map[string]string{"app": "trainer", "io.cri-containerd.kind": "sandbox"},
		Annotations: map[string]string{
			"io.kubernetes.cri.container-type": "sandbox", "io.kubernetes.cri.sandbox-id": sandbox,
			"io.kubernetes.cri.sandbox-log-directory": "/var/log/pods/" + name,
			"io.kubernetes.cri.sandbox-name":          name, "io.kubernetes.cri.sandbox-namespace": "team-a",
		},
		Linux: &api.LinuxPodSandbox{
			CgroupParent: "/kubepods/pod1", CgroupsPath: "/kubepods/pod1/" + sandbox,
			Namespaces: []*api.LinuxNamespace{{Type: "pid"}, {Type: "ipc"}, {Type: "mount"}},
			Resources: &api.LinuxResources{Cpu: &api.LinuxCPU{Shares: api.UInt64(uint64(2))},
				Devices: []*api.LinuxDeviceCgroup{{Access: "rwm"}}},
		},
		Pid: 32748,
	}
	container := &api.Container{
		Id: fmt.Sprintf("%064x", id+1<<40), PodSandboxId: sandbox, Name: "main",
		Labels: map[string]string{"io.kubernetes.container.name": "main", "io.cri-containerd.kind": "container"},
		Annotations: map[string]string{
			"io.kubernetes.cri.container-name": "main", "io.kubernetes.cri.container-type": "container",
			"io.kubernetes.cri.image-name": "example.com/library/trainer:1", "io.kubernetes.cri.sandbox-id": sandbox,
			"io.kubernetes.cri.sandbox-name": name, "io.kubernetes.cri.sandbox-namespace": "team-a",
		},
		Args: []string{"python3", "train.py", "--epochs", "10"},
		Env:  []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOSTNAME=" + name},
		Mounts: []*api.Mount{
			mount("proc", "/proc", "proc", "nosuid", "noexec", "nodev"),
			mount("tmpfs", "/dev", "tmpfs", "nosuid", "strictatime", "mode=755", "size=65536k"),
			mount("devpts", "/dev/pts", "devpts", "nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"),
			mount("mqueue", "/dev/mqueue", "mqueue", "nosuid", "noexec", "nodev"),
			mount("sysfs", "/sys", "sysfs", "nosuid", "noexec", "nodev", "ro"),
			mount("cgroup", "/sys/fs/cgroup", "cgroup", "nosuid", "noexec", "nodev", "relatime", "ro"),
			mount("bind", "/etc/hostname", state+"/hostname", "rbind", "rprivate", "rw"),
			mount("bind", "/etc/hosts", state+"/hosts", "rbind", "rprivate", "rw"),
			mount("bind", "/etc/resolv.conf", state+"/resolv.conf", "rbind", "rprivate", "rw"),
			mount("bind", "/dev/shm", "/run/containerd/io.containerd.grpc.v1.cri/sandboxes/"+sandbox+"/shm", "rbind", "rprivate", "rw"),
		},
		Hooks: &api.Hooks{},
		Linux: &api.LinuxContainer{
			Namespaces: []*api.LinuxNamespace{{Type: "pid"}, {Type: "ipc", Path: "/proc/32748/ns/ipc"},
				{Type: "uts", Path: "/proc/32748/ns/uts"}, {Type: "mount"}, {Type: "network", Path: "/proc/32748/ns/net"}},
			Resources: &api.LinuxResources{
				Memory:  &api.LinuxMemory{Limit: api.Int64(int64(200000000)), Swap: api.Int64(int64(200000000))},
				Cpu:     &api.LinuxCPU{Shares: api.UInt64(uint64(1024))},
				Devices: []*api.LinuxDeviceCgroup{{Access: "rwm"}, {Allow: true, Type: "c", Major: api.Int64(int64(1)), Minor: api.Int64(int64(3)), Access: "rwm"}},
			},
			OomScoreAdj: api.Int(999), CgroupsPath: "/kubepods/pod1/" + name,
		},
	}
	return pod, container
}

func request(k *kind, id int) *api.CreateContainerRequest {
	pod, container := plain(id)
	k.differ(pod, container)
	return &api.CreateContainerRequest{Pod: pod, Container: container}
}

// kindOf spreads the kinds over a thousand creations, each as often as it says.
func kindOf(number int) *kind {
	place := number * 617 % 1000 // 617 and 1000 have no common divisor
	for i := range kinds {
		if place -= kinds[i].often; place < 0 {
			return &kinds[i]
		}
	}
	return &kinds[0]
}

// running makes the containers of a node for Synchronize; small ones where they must fit into one message.
func running(count int, small bool) (pods []*api.PodSandbox, containers []*api.Container) {
	for i := 0; i < count; i++ {
		pod, c := plain(i)
		if small {
			pod = &api.PodSandbox{Id: pod.Id, Name: pod.Name, Uid: pod.Uid, Namespace: pod.Namespace}
			c = &api.Container{Id: c.Id, PodSandboxId: pod.Id, Name: c.Name, Annotations: map[string]string{inject: "true"}, Env: c.Env}
		}
		c.State, c.Pid = api.ContainerState_CONTAINER_RUNNING, uint32(1000+i)
		pods, containers = append(pods, pod), append(containers, c)
	}
	return pods, containers
}
