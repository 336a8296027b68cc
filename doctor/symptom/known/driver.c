/* SPDX-License-Identifier: Apache-2.0 */
/* The node: its kernel and the HCA's driver */
#include "doctor/symptom/known.h"

const struct known known_driver[] = {
	{
		.name = "iommu_fault",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the IOMMU refused a transfer of a PCI device; with GPUDirect RDMA that "
			 "is the HCA's transfer to GPU memory",
		.remedy = "boot the node with iommu=pt (x86) or iommu.passthrough=1 (Arm)",
		.confirm = "iommu_group, iommu_arguments, kernel_log",
		.messages = {{{"dmar: [dma ", "fault addr"},
			      .from = "Linux drivers/iommu/intel/dmar.c"},
			     {{"amd-vi: event logged [io_page_fault"},
			      .from = "Linux drivers/iommu/amd/iommu.c"},
			     {{"arm-smmu-v3", "event", "received"},
			      .from = "Linux drivers/iommu/arm/arm-smmu-v3"}},
	},
	{
		.name = "ofed_load",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the node cannot load the RDMA driver's modules: they are built for "
			 "another kernel or ib_core, are not signed while secure boot is on, or "
			 "modules that are loaded hold the old ones",
		.remedy = "read the node's dmesg for the module and symbol; unload storage modules "
			  "that use RDMA, rebuild the driver for the running kernel",
		.confirm = "kernel_log, rdma_devices",
		.messages = {{{"failed loading kernel module mlx5_ib"},
			      .from = "Mellanox/doca-driver-build#52"},
			     {{"loading mellanox mlx5_ib hca driver:", "failed"},
			      .from = "Mellanox/doca-driver-build#52"}},
	},
	{
		.name = "sriov_lockdown",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the kernel is locked down by secure boot, so that the SR-IOV operator "
			 "may not change the HCA's firmware settings",
		.remedy = "set SRIOV_EN and NUM_OF_VFS in the firmware while secure boot is off "
			  "(mlxconfig), or keep it off",
		.confirm = "",
		.messages = {{{"device detected when in lockdown mode"},
			      .from = "k8snetworkplumbingwg/sriov-network-operator#103"}},
	},
	{
		.name = "rdma_symbols",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "a kernel module that uses RDMA does not fit the ib_core that is loaded: "
			 "one of the two is the kernel's own and the other MLNX_OFED's or DOCA's",
		.remedy = "install the module that belongs to the loaded driver (for MLNX_OFED its "
			  "--with-nvmf and the like), or remove that driver; modinfo ib_core shows "
			  "where it comes from",
		.confirm = "kernel_log",
		.messages = {{{"mlx5_", "disagrees about version of symbol"},
			      .from = "Mellanox/doca-driver-build#51"},
			     {{"unknown symbol mlx5_"}, .from = "Mellanox/doca-driver-build#51"},
			     {{"ib_", "disagrees about version of symbol"},
			      .from = "Mellanox/doca-driver-build#51"},
			     {{"rdma", "disagrees about version of symbol"},
			      .from = "Mellanox/doca-driver-build#51"},
			     {{"unknown symbol ib_"},
			      .unless = "ib_register_peer",
			      .from = "spdk/spdk#684"},
			     {{"unknown symbol rdma_"}, .from = "spdk/spdk#684"}},
	},
	{
		.name = "hca_command",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the HCA's firmware refused a command of its driver or did not answer it: "
			 "driver and firmware do not fit each other, or the HCA is sick",
		.remedy = "update firmware and driver together; look for the first such line in "
			  "the node's dmesg, and reset the HCA if commands time out",
		.confirm = "kernel_log",
		/* cmd_status_str() of Linux' mlx5/core/cmd.c; for limits see hca_limits */
		.messages = {{{"create_", " failed, status bad ", "syndrome"},
			      .from = "openucx/ucx#9488"},
			     {{"create_", " failed, status internal error", "syndrome"},
			      .from = "Linux mlx5/core/cmd.c"},
			     {{"timeout. will cause a leak of a command resource"},
			      .from = "openucx/ucx#7738"}},
	},
	{
		.name = "hca_limits",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the HCA's firmware makes no more of this kind of object (CREATE_MKEY: "
			 "memory keys, CREATE_QP: queue pairs): a limit is reached, which for a "
			 "virtual function may be lower than what ibv_devinfo -v shows; memlock is "
			 "not the cause",
		.remedy = "rdma resource show on the node counts what there is, rdma resource show "
			  "qp (mr, cq) whose it is: look for a process that leaks. Run fewer "
			  "processes on this HCA, or with fewer queue pairs and registrations; if "
			  "the numbers are small, update the firmware",
		.confirm = "kernel_log",
		.messages = {{{" failed, status limits exceeded"}, .from = "openucx/ucx#6264"},
			     {{" failed, status no resources"}, .from = "Linux mlx5/core/cmd.c"}},
	},
	{
		.name = "sriov_config",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "virtual functions could not be made: the interface is missing, SR-IOV is "
			 "off in firmware or BIOS, or the physical function does not take this "
			 "number now",
		.remedy =
			"on the node, read dmesg and sriov_totalvfs (0: SR-IOV is off); while "
			"virtual functions are in use their number cannot change: set 0 first. If "
			"interrupts (MSI-X) ran out, ask for fewer, or unload irdma",
		.confirm = "",
		.messages = {{{"fail to configure sriov"},
			      .from = "Mellanox/k8s-rdma-sriov-dev-plugin#27"},
			     {{"sriov_numvfs: device or resource busy"},
			      .from = "Mellanox/k8s-rdma-sriov-dev-plugin#12"},
			     {{"write /sys/", "/sriov_numvfs: "},
			      .from = "openshift/openshift-docs#32619"},
			     {{"msi-x interrupts available for sr-iov"},
			      .from = "openshift/sriov-network-operator#1185"},
			     {{"fail to enable sriov: write"},
			      .from = "Mellanox/docker-sriov-plugin#28"},
			     {{"cannot configure sriov interface"},
			      .from = "k8snetworkplumbingwg/sriov-network-operator#672"}},
	},
	{
		.name = "hca_probe",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the node's kernel driver could not start the HCA: driver and firmware do "
			 "not fit each other, or the HCA is sick",
		.remedy = "read the node's dmesg from boot on; update the firmware, or use a "
			  "driver of the same age",
		.confirm = "kernel_log, rdma_devices",
		.messages = {{{"mlx5_core", "failed with error code"},
			      .from = "pocopico/rp-ext#129"},
			     {{"mlx5_core", "probe of", "failed with error"},
			      .from = "pocopico/rp-ext#129"}},
	},
	{
		.name = "package_source",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "packages could not be fetched, so that a driver or an image is not "
			 "built: the source's name does not resolve, there is no way to it, or the "
			 "node has no entitlement",
		.remedy = "from a pod on this node, getent hosts and curl the address in the "
			  "message; set the proxy or a mirror for the driver container (RHEL and "
			  "OpenShift: entitlements), or use an image with precompiled drivers",
		.confirm = "",
		.messages = {{{"failed to download metadata for repo"},
			      .from = "Mellanox/network-operator#830"}},
	},
	{
		.name = "hca_stuck",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the HCA's network interface does not send any more: its driver or "
			 "firmware hangs, or the PCI link is bad",
		.remedy = "drain the node and restart it; read its dmesg from the first such line "
			  "on, compare driver and firmware with the vendor's list, and watch "
			  "whether it comes again on the same node",
		.confirm = "kernel_log",
		.messages = {{{"mlx5", "tx timeout detected"}, .from = "NVIDIA/NVSentinel#1334"},
			     {{"netdev watchdog", "(mlx5_core)"},
			      .from = "Linux net/sched/sch_generic.c"},
			     {{"netdev watchdog", "(bnxt_en)"},
			      .from = "Linux net/sched/sch_generic.c"}},
	},
	{
		.name = "package_kernel",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the package sources have no package for the kernel that runs on this "
			 "node (its headers or extra modules), so that the driver cannot be built "
			 "or installed",
		.remedy = "start the node with a kernel that the sources have, add the source that "
			  "has this one (an older or a vendor's kernel), or use an image with "
			  "drivers built for this kernel",
		.confirm = "",
		.messages = {{{"but it is not installable"},
			      .from = "Mellanox/network-operator#1450"},
			     {{"unable to locate package linux-"}, .from = "Debian apt"},
			     {{"no match for argument: kernel-"}, .from = "DNF"},
			     {{"could not resolve linux kernel version"},
			      .from = "NVIDIA gpu-driver-container nvidia-driver"}},
	},
	{
		.name = "link_kind",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "the kernel's driver of this interface does not support this kind of link "
			 "or setting: macvlan, ipvlan or a VLAN on InfiniBand (IPoIB), a virtual "
			 "function's MAC address on an InfiniBand port, or a module that is not "
			 "loaded",
		.remedy = "ip -d link show names the interface's type, dmesg the driver's reason; "
			  "on InfiniBand use a child interface (type ipoib, with a pkey) or "
			  "virtual functions with GUIDs",
		.confirm = "",
		.messages = {{{"rtnetlink answers: operation not supported"},
			      .from = "jpetazzo/pipework#200"}},
	},
	{
		.name = "module_missing",
		.status = FINDING_FAIL,
		.sureness = LIKELY,
		.cause = "the running kernel has no such RDMA module: its package "
			 "(kernel-modules-extra, linux-modules-extra) is missing, or the vendor's "
			 "driver was built for another kernel",
		.remedy = "find /lib/modules/$(uname -r) -name '*mlx5*' (or irdma) shows what is "
			  "there: install the kernel's extra modules, or build the driver again "
			  "for this kernel (--add-kernel-support, dkms)",
		.confirm = "rdma_devices",
		.messages = {{{"modprobe: fatal: module irdma not found"},
			      .from = "spdk/spdk#1724"},
			     {{"modprobe: fatal: module mlx5_"}, .from = "BarrinXu/FaaSMem#1"},
			     {{"modprobe: fatal: module mlx4_"}, .from = "BarrinXu/FaaSMem#1"},
			     {{"modprobe: fatal: module ib_"}, .from = "BarrinXu/FaaSMem#1"},
			     {{"modprobe: fatal: module rdma_"}, .from = "BarrinXu/FaaSMem#1"},
			     {{"module mlx5_", " does not exist, skipping"},
			      .from = "BarrinXu/FaaSMem#1"},
			     {{"module ib_", " does not exist, skipping"},
			      .from = "BarrinXu/FaaSMem#1"}},
	},
	{
		.name = "irdma_reset",
		.status = FINDING_FAIL,
		.sureness = MAYBE,
		.cause = "an Intel E800 card found an error in the memory that its RDMA part keeps "
			 "(HMC), and resets itself; in the report the RDMA driver irdma asked for "
			 "it, although no RDMA was used",
		.remedy = "update the card's firmware (NVM) and the drivers ice and irdma "
			  "together; where no RDMA is wanted, unload irdma (modprobe -r irdma, and "
			  "a blacklist)",
		.confirm = "kernel_log",
		.messages = {{{"oicr event notification", "0x0"},
			      .from = "intel/ethernet-linux-ice#12"}},
	},
	{
		.name = "channels_rdma",
		.status = FINDING_FAIL,
		.sureness = SURE,
		.cause = "the number of an Intel interface's queues cannot change while RDMA uses "
			 "it",
		.remedy = "ethtool -L before irdma is loaded, or after modprobe -r irdma; "
			  "otherwise leave the queues as they are (a profile of tuned or of the "
			  "node tuning operator may set them)",
		.confirm = "",
		.messages = {{{"cannot change channels when rdma is active"},
			      .from = "openshift/cluster-node-tuning-operator#1249"}},
	},
	{0},
};
