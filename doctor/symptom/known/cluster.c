/* SPDX-License-Identifier: Apache-2.0 */
/* Kubernetes, its plugins, and the engines */
#include "doctor/symptom/known.h"

const struct known known_cluster[] = {
	{
		.name = "vf_no_driver",
		.status = FINDING_WARN,
		.sureness = LIKELY,
		.cause = "a PCI function has no driver, so that the device plugin leaves it out",
		.remedy = "bind the function to its driver (mlx5_core for RDMA), or let the SR-IOV "
			  "operator do it; then restart the device plugin",
		.confirm = "rdma_devices",
		.messages = {{{"error getting driver info for device"},
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#189"}},
	},
	{
		.name = "cni_missing",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the node has no CNI program of this name, so that the pod gets no "
			 "network and does not start; RDMA is not the cause",
		.remedy = "install the program on every node of the pool, in the directory that "
			  "the message names (the SR-IOV operator or the sriov-cni DaemonSet does "
			  "it); ls of that directory on the node confirms it",
		.confirm = "",
		.messages = {{{"failed to find plugin", "in path"},
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#446"}},
	},
	{
		.name = "insufficient",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the pod does not start, because no node has as many free devices of this "
			 "resource as it requests",
		.remedy = "run oc describe node: it shows what the node has and what is allocated. "
			  "If it shows 0, the device plugin found none: read its log, and compare "
			  "the resource's name",
		.confirm = "",
		.messages = {{{" nodes are available", "insufficent ", "/"},
			      .one_word = true,
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#189"},
			     {{" nodes are available", "insufficient ", "/"},
			      .one_word = true,
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#424"}},
	},
	{
		.name = "scc",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "OpenShift refuses the pod: none of the SecurityContextConstraints that "
			 "its service account may use allows what it asks for (IPC_LOCK, "
			 "privileged, another user)",
		.remedy = "remove what the pod does not need: with oci-rdma-hook it needs no "
			  "capability for RDMA. Otherwise bind an SCC with this right to the "
			  "service account; oc adm policy who-can use scc NAME shows who may",
		.confirm = "",
		.messages = {{{"unable to validate against any security context constraint"},
			      .from = "bank-vaults/bank-vaults#706"},
			     {{"capability may not be added"},
			      .unless = "unable to validate",
			      .from = "bank-vaults/bank-vaults#706"}},
	},
	{
		.name = "device_allocate",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause =
			"the kubelet could not give the pod the devices that it was scheduled for: "
			"none of them is healthy or free on this node, or the device plugin failed",
		.remedy = "read the device plugin's log on this node; it may have been starting, "
			  "as after a reboot. Delete the pod when oc describe node shows the "
			  "devices as allocatable: the kubelet does not try again",
		.confirm = "",
		.messages = {{{"allocate failed due to ", ", which is unexpected"},
			      .from = "Project-HAMi/HAMi#596"}},
	},
	{
		.name = "cni_nad",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "Multus finds no definition of a network that the pod's annotation asks "
			 "for, so that the pod does not start",
		.remedy = "compare k8s.v1.cni.cncf.io/networks of the pod with oc get "
			  "network-attachment-definitions in the pod's namespace; one of another "
			  "namespace is named NAMESPACE/NAME",
		.confirm = "",
		.messages = {{{"failed getting the delegate"},
			      .from = "Mellanox/ib-kubernetes#65"}},
	},
	{
		.name = "cni_guid",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "ib-sriov-cni does not put the InfiniBand virtual function into the pod, "
			 "because it has no GUID",
		.remedy = "set linkType: ib in the SriovNetworkNodePolicy, so that the SR-IOV "
			  "operator sets the GUIDs; or set them by hand (ip link set PF vf N "
			  "node_guid GUID, then port_guid), and bind the function to its driver "
			  "again",
		.confirm = "",
		.messages = {{{"failed to configure vf", "guid is not valid"},
			      .from = "Mellanox/network-operator#1825"}},
	},
	{
		.name = "cni_master",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the node has no interface of the name that the network's definition "
			 "gives as master",
		.remedy = "compare master in the network attachment definition with ip link on "
			  "this node; an interface that was moved into a pod is missing, too",
		.confirm = "",
		.messages = {{{"failed to lookup master"}, .from = "containerd/nerdctl#4276"}},
	},
	{
		.name = "cni_macvlan",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the network's master is an InfiniBand interface (IPoIB), and macvlan "
			 "works on Ethernet alone",
		.remedy = "use ipoib-cni on an InfiniBand port, or ib-sriov-cni for a virtual "
			  "function; ip -d link show master names its type",
		.confirm = "",
		.messages = {{{"failed to create macvlan: invalid argument"},
			      .from = "Mellanox/network-operator#1017"}},
	},
	{
		.name = "cni_busy",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the master interface is in use in a way that excludes this one: it is a "
			 "port of a bridge, bond or Open vSwitch, or has ipvlan interfaces where "
			 "this network is macvlan (or the reverse)",
		.remedy = "ip -d link show master on the node shows who uses it; use one kind of "
			  "network for each master",
		.confirm = "",
		.messages = {{{"error adding container to network ", "\": device or resource busy"},
			      .from = "k8snetworkplumbingwg/multus-cni#715"},
			     {{"failed to create macvlan: device or resource busy"},
			      .from = "k8snetworkplumbingwg/multus-cni#1339"},
			     {{"failed to create ipvlan: device or resource busy"},
			      .from = "CNI plugins ipvlan"}},
	},
	{
		.name = "sriov_ib",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the physical function takes no MAC address for a virtual function: its "
			 "port is InfiniBand, where GUIDs are set instead",
		.remedy = "set linkType: ib in the SriovNetworkNodePolicy of this port; ibstat "
			  "shows the link layer",
		.confirm = "port",
		.messages = {{{"vf admin mac address", "operation not supported"},
			      .from = "k8snetworkplumbingwg/sriov-network-operator#274"}},
	},
	{
		.name = "sriov_drain",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the SR-IOV operator waits for the node to be drained before it "
			 "configures it, and a pod does not go",
		.remedy = "look at the pod that the message names: a PodDisruptionBudget, a "
			  "finalizer, or no other node that could take it; oc adm drain shows the "
			  "same error",
		.confirm = "",
		.messages = {{{"draining failed with: [error when"},
			      .from = "k8snetworkplumbingwg/sriov-network-operator#306"}},
	},
	{
		.name = "cni_no_vf",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the pod has a network of sriov-cni but no virtual function for it",
		.remedy = "give the network attachment definition the annotation "
			  "k8s.v1.cni.cncf.io/resourceName, and let the pod request that resource; "
			  "oc describe node shows whether the device plugin offers it",
		.confirm = "",
		.messages = {{{"failed to lookup vf device"}, .from = "cni-genie/CNI-Genie#160"},
			     {{"vf pci addr is required"},
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#310"}},
	},
	{
		.name = "cni_no_pf",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "sriov-cni finds no interface of the physical function behind the device: "
			 "the device is no virtual function, or its physical function has another "
			 "driver or is in another network namespace",
		.remedy = "use the host-device plugin for a whole device or in a virtual machine; "
			  "otherwise ls /sys/bus/pci/devices/ADDRESS/physfn/net on the node shows "
			  "what is missing",
		.confirm = "",
		.messages = {{{"failed to get vf information", "physfn/net"},
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#251"}},
	},
	{
		.name = "cni_vf",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the physical function's driver refuses a setting that the network asks "
			 "for (VLAN, link state, trust, rate); an InfiniBand port has no VLAN at "
			 "all",
		.remedy = "remove that setting from the network attachment definition; on "
			  "InfiniBand use ib-sriov-cni (SriovIBNetwork). The same ip link set PF "
			  "vf N by hand confirms it",
		.confirm = "",
		.messages = {{{"sriov-cni failed to configure vf"},
			      .from = "k8snetworkplumbingwg/sriov-cni#119"}},
	},
	{
		.name = "rdma_modules",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the device plugin found no RDMA device behind the network device: the "
			 "node has not loaded its RDMA modules, some device files are missing, or "
			 "the device has no RDMA",
		.remedy =
			"load ib_uverbs, rdma_ucm, ib_umad and mlx5_ib on the node (rdma-core does "
			"it), then restart the plugin; rdma link lists the devices that have RDMA",
		.confirm = "rdma_devices, uverbs",
		.messages = {{{"are rdma modules loaded"},
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#424"},
			     {{"missing rdma device spec for device"},
			      .from = "Mellanox/k8s-rdma-shared-dev-plugin#108"}},
	},
	{
		.name = "plugin_pool",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "the device plugin offers nothing for this resource, because none of the "
			 "node's devices fits its selectors",
		.remedy = "compare the selectors (vendor, device, driver, interface names, isRdma) "
			  "with lspci -nnk on the node; virtual functions have to exist before the "
			  "plugin starts",
		.confirm = "",
		.messages = {{{"no devices in device pool"},
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#386"}},
	},
	{
		.name = "rdma_mode",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the node's RDMA network namespace mode is not what the plugin needs: "
			 "shared for the shared device plugin, exclusive for rdma-cni",
		.remedy = "rdma system shows the mode; rdma system set netns shared changes it, "
			  "and the kernel argument ib_core.netns_mode=1 (shared) or 0 keeps it",
		.confirm = "rdma_netns",
		.messages = {{{"incorrect rdma subsystem network namespace"},
			      .from = "Mellanox/k8s-rdma-shared-dev-plugin#84"}},
	},
	{
		.name = "cni_crash",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the CNI program ended without a message: it crashed, is built for "
			 "another architecture, or does not know the definition's version",
		.remedy = "run it by hand on the node; compare its version with cniVersion and the "
			  "keys of the network's definition",
		.confirm = "",
		.messages = {{{"netplugin failed but error parsing its diagnostic message"},
			      .from = "k8snetworkplumbingwg/sriov-cni#110"}},
	},
	{
		.name = "cdi",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the engine knows no CDI device of this name: no file in /etc/cdi or "
			 "/var/run/cdi on this node names it, or the engine reads none of them",
		.remedy = "look for the kind and the name in these files on the pod's node, and "
			  "whether the device plugin or DRA driver that writes them runs; the "
			  "engine has to have CDI switched on (containerd: enable_cdi, docker: "
			  "features.cdi)",
		.confirm = "",
		.messages = {{{"unresolvable cdi devices"}, .from = "moby/moby#47633"}},
	},
	{
		.name = "nvidia_hook",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "NVIDIA's container hook does not reach the node's GPU driver: the driver "
			 "is not installed or not loaded, its libraries are not where the hook "
			 "looks (a driver container, WSL, Docker as a snap or Docker Desktop), or "
			 "the hook does not fit it; RDMA is not the cause",
		.remedy = "on the node, first nvidia-smi, then nvidia-container-cli -k -d /dev/tty "
			  "info: the one that fails says why. If both work, install NVIDIA's own "
			  "container toolkit, nvidia-ctk runtime configure, and restart the engine",
		.confirm = "",
		.messages = {{{"nvidia-container-cli: initialization error"},
			      .from = "NVIDIA/nvidia-container-toolkit#230"},
			     {{"nvidia-container-cli: detection error"},
			      .from = "getumbrel/llama-gpt#132"}},
	},
	{
		.name = "nvml_lost",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "this container may not use its GPUs: systemd, which manages its cgroup, "
			 "took back the right to them when it read its units again (systemctl "
			 "daemon-reload), or it never had it; RDMA is not the cause",
		.remedy = "start the container anew: if it works until the next systemctl "
			  "daemon-reload, this is the cause. Then, on the node, nvidia-ctk system "
			  "create-dev-char-symlinks --create-all, or give the GPUs by CDI",
		.confirm = "cuda_gpu",
		.messages = {{{"failed to initialize nvml: unknown error"},
			      .from = "NVIDIA/nvidia-container-toolkit#48"}},
	},
	{
		.name = "hook_failed",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.alone = true,
		.cause = "an OCI hook ended with an error, so that the container was not created; "
			 "the text behind it is what the hook said",
		.remedy =
			"read the hook's own message and its log (journalctl -t oci-rdma-hook "
			"for this project's); nvidia-container-cli is NVIDIA's: update the "
			"container toolkit, or remove the driver's libraries from the image. With "
			"exit code 127 the hook, or what it starts, is missing on the node. The "
			"hook's name stands in the container's config.json",
		.confirm = "",
		.messages = {{{"nvidia-container-cli: mount error"},
			      .from = "NVIDIA/nvidia-docker#1300"},
			     {{"error running hook", "exit status"},
			      .from = "NVIDIA/nvidia-container-toolkit#14"},
			     {{"error running ", " hook #", "exit status"},
			      .from = "containerd/nerdctl#4276"},
			     {{"error executing hook"}, .from = "ublue-os/bluefin#3454"}},
	},
	{
		.name = "cni_status",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.alone = true,
		.cause = "Multus could not attach a network to the pod; its reason is at the end "
			 "of this message, behind the configuration",
		.remedy = "read the message to its end (oc describe pod, oc get events), or "
			  "multus' log on the pod's node",
		.confirm = "",
		.messages = {{{"cni request failed with status 400"},
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#555"}},
	},
	{
		.name = "cni_ipam",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the network's IP range has no free address: it is too small, or "
			 "addresses of pods that are gone were not given back",
		.remedy = "oc get ippools,overlappingrangeipreservations -A (whereabouts), or ls "
			  "/var/lib/cni/networks/NAME on the node (host-local); remove what "
			  "belongs to no pod, or make the range larger",
		.confirm = "",
		.messages = {{{"could not allocate ip in range"},
			      .from = "k8snetworkplumbingwg/multus-cni#1010"},
			     {{"no ip addresses available in range"},
			      .from = "CNI plugins host-local"},
			     {{"failed to allocate for range"}, .from = "CNI plugins host-local"}},
	},
	{
		.name = "cni_device",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the host-device plugin was not told which device to move: the network's "
			 "definition names none, and the pod requests no device that the device "
			 "plugin could give it",
		.remedy = "give the network attachment definition the annotation "
			  "k8s.v1.cni.cncf.io/resourceName (HostDeviceNetwork: resourceName), and "
			  "let the pod request that resource",
		.confirm = "",
		.messages = {{{"specify either \"device\", \"hwaddr\""},
			      .from = "Mellanox/network-operator#1382"}},
	},
	{
		.name = "cni_chain",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "a CNI plugin that only changes what another made (tuning, portmap, "
			 "bandwidth, rdma) stands alone or first in the network's definition",
		.remedy = "put it behind the plugin that makes the interface, in a list "
			  "\"plugins\"; for the default network look at the files in "
			  "/etc/cni/net.d, of which the first by name counts",
		.confirm = "",
		.messages = {{{"must be called as chained plugin"},
			      .from = "k8snetworkplumbingwg/multus-cni#714"},
			     {{"must be called as a chained plugin"}, .from = "CNI plugins"}},
	},
	{
		.name = "cni_no_sriov",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the interface that the network names is no physical function with "
			 "SR-IOV: it is virtual (virtio, vmxnet3), a virtual function itself, or "
			 "SR-IOV is off",
		.remedy = "ls /sys/class/net/NAME/device/sriov_totalvfs on the node; in a virtual "
			  "machine use the host-device plugin instead of sriov-cni",
		.confirm = "",
		.messages = {{{"failed to open the sriov_num", "no such file or directory"},
			      .from = "k8snetworkplumbingwg/sriov-cni#23"}},
	},
	{
		.name = "cni_up",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "the virtual function's interface cannot be brought up in the pod: its "
			 "physical function is down, its driver refuses, or the device that was "
			 "given is not the one that is meant",
		.remedy = "on the node ip link set PF up, and read dmesg at the time of this "
			  "event; the same ip link set VF up by hand confirms it",
		.confirm = "port",
		.messages = {{{"error bringing interface up in container ns"},
			      .from = "k8snetworkplumbingwg/sriov-network-device-plugin#182"}},
	},
	{
		.name = "cni_ib_kubernetes",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "ib-sriov-cni waits for ib-kubernetes, which has not given this network "
			 "of the pod a GUID: it does not run, cannot reach its subnet manager "
			 "(UFM), or does not watch this network",
		.remedy = "read the log of ib-kubernetes; a pod with two networks of the same name "
			  "needs a version that knows it. Without ib-kubernetes remove "
			  "ibKubernetesEnabled from the definition",
		.confirm = "",
		.messages = {{{"is not \"configured\" please check mellanox ib-kubernetes"},
			      .from = "Mellanox/ib-kubernetes#160"}},
	},
	{
		.name = "cni_ipv6",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "an IPv6 address cannot be set in the pod, because IPv6 is switched off "
			 "there or on the node",
		.remedy = "sysctl net.ipv6.conf.all.disable_ipv6 and default.disable_ipv6 on the "
			  "node have to be 0, and the kernel's command line must not have "
			  "ipv6.disable=1",
		.confirm = "",
		.messages = {{{"failed to add ip addr", "permission denied"},
			      .from = "leblancd/kube-v6#4"}},
	},
	{
		.name = "dra_driver",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the DRA driver of the pod's claim is not registered with this node's "
			 "kubelet: its pod does not run on this node, or it is starting",
		.remedy = "oc get pods -o wide of the driver's DaemonSet on this node, and its "
			  "log; ls /var/lib/kubelet/plugins_registry shows what is registered",
		.confirm = "",
		.messages = {{{"dra driver ", " is not registered"},
			      .from = "kubernetes-sigs/dra-driver-nvidia-gpu#814"},
			     {{" not found in the list of registered dra plugins"},
			      .from = "Kubernetes pkg/kubelet/cm/dra/plugin"}},
	},
	{
		.name = "operator_waits",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "this container only waits for another one of the GPU or network "
			 "operator, which is not ready: the driver, the container toolkit or the "
			 "RDMA driver (MOFED, DOCA)",
		.remedy = "oc get pods -A -o wide on this node: the first of driver, toolkit and "
			  "mofed that is not ready has the reason in its log; the engine's "
			  "configuration has to have the runtime nvidia",
		.confirm = "",
		.messages = {{{"waiting for nvidia container stack to be setup"},
			      .from = "NVIDIA/gpu-operator#378"},
			     {{"chroot: failed to run command 'nvidia-smi'"},
			      .from = "NVIDIA/gpu-operator#487"},
			     {{"waiting for mellanox ofed and nvidia drivers"},
			      .from = "NVIDIA gpu-driver-container nvidia-driver"}},
	},
	{
		.name = "cni_no_netdev",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "the CNI plugin finds no network interface behind the device that the pod "
			 "was given: the function has the driver vfio-pci (or none), or its "
			 "interface is already in another pod",
		.remedy = "lspci -k -s ADDRESS on the node names the driver: bind the function to "
			  "mlx5_core (SriovNetworkNodePolicy deviceType netdevice), or give the "
			  "pod a device of another resource",
		.confirm = "",
		.messages = {{{"cannot get a network device with pci address"},
			      .from = "kubeovn/kube-ovn#2081"},
			     {{"stat /sys/bus/pci/devices/", "/net: no such file"},
			      .unless = "physfn/net",
			      .from = "kubeovn/kube-ovn#2081"}},
	},
	{
		.name = "cni_name_taken",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the interface cannot be moved into the pod, because the pod has one of "
			 "this name already: the node's interface is named like the pod's own "
			 "(eth0)",
		.remedy = "give the network attachment another interface of the node, or name it "
			  "in the pod (annotation k8s.v1.cni.cncf.io/networks NAME@net1); the "
			  "interface of the node's own network must not be moved",
		.confirm = "",
		.messages = {{{"failed to move link", "file exists"},
			      .from = "CNI plugins host-device.go"}},
	},
	{
		.name = "cni_default",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the cluster's own network is not ready on this node, so that no pod "
			 "starts there: its agent has not written its files yet (flannel, Calico, "
			 "Cilium, OVN)",
		.remedy = "look at that agent's pod on this node and at its log; RDMA networks "
			  "come after it",
		.confirm = "",
		.messages = {{{"/run/flannel/subnet.env: no such file"},
			      .from = "k8snetworkplumbingwg/multus-cni#49"},
			     {{"stat /var/lib/calico/nodename: no such file"},
			      .from = "Calico cni-plugin/pkg/plugin/plugin.go"},
			     {{"cni plugin not initialized"},
			      .from = "containerd go-cni errors.go"},
			     {{"no cni configuration file in /"},
			      .from = "CRI-O ocicni pkg/ocicni/ocicni.go"}},
	},
	{
		.name = "rdma_tool",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the image has no program rdma, which this plugin or exporter runs",
		.remedy = "install iproute2 (RHEL: iproute) in the image, or switch off what needs "
			  "it",
		.confirm = "",
		.messages = {{{"rdma statistic", "executable file not found"},
			      .from = "spidernet-io/spiderpool#4265"},
			     {{"exec: \"rdma\": executable file not found"}, .from = "Go os/exec"}},
	},
	{0},
};
