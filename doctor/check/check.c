/* SPDX-License-Identifier: Apache-2.0 */

#include "doctor/check/check.h"

#include "doctor/cuda/cuda.h"

#ifndef CHECK_SECONDS /* for memcheck */
#define CHECK_SECONDS 5
#endif
#define SECONDS CHECK_SECONDS
/* mlx5 waits 60 s for firmware: too long */
#define FIRMWARE_SECONDS (2 * SECONDS)

#define KERNEL                                                                                     \
	{                                                                                          \
		"kernel", "looks at the kernel", CHECK_EVERYWHERE, SECONDS, check_kernel           \
	}

const struct check kernel_check = KERNEL;

const struct check all_checks[] = {
	KERNEL,
	{"rdma_devices", "looks at the devices", CHECK_EVERYWHERE, SECONDS, check_devices},
	{"port", "asks the ports", CHECK_EVERYWHERE, FIRMWARE_SECONDS, check_ports},
	{"plan", "decides on the container", CHECK_ON_NODE, FIRMWARE_SECONDS, check_plan},
	{"memlock", "reads the limits", CHECK_EVERYWHERE, SECONDS, check_limits},
	{"pinned", "reads the processes' sizes", CHECK_EVERYWHERE, 2 * SECONDS, check_pinned},
	{"seccomp", "reads the seccomp profile", CHECK_EVERYWHERE, SECONDS, check_seccomp},
	{"nccl", "reads NCCL's values", CHECK_EVERYWHERE, SECONDS, check_nccl},
	{"iommu_group", "reads the PCI tree", CHECK_EVERYWHERE, SECONDS, check_iommu},
	{"gpudirect", "looks for GPUDirect", CHECK_EVERYWHERE, SECONDS, check_gpudirect},
	{"distance", "reads the PCI tree", CHECK_EVERYWHERE, SECONDS, check_distance},
	{"cuda_library", "asks the CUDA driver: cuInit", CHECK_EVERYWHERE, CUDA_SECONDS,
	 check_cuda},
	{"kernel_log", "reads the kernel's log", CHECK_ON_NODE, SECONDS, check_kernel_log},
	{"hook_file", "reads the engines' files", CHECK_ON_NODE, SECONDS, check_engine_files},
	{"missed", "looks at the node's containers", CHECK_ON_NODE, 2 * SECONDS, check_missed},
	{"nri", "looks for the NRI plugin", CHECK_ON_NODE, SECONDS, check_nri},
	{"policy", "reads our policy", CHECK_ON_NODE, SECONDS, check_policy},
	{"selinux", "reads SELinux labels", CHECK_EVERYWHERE, SECONDS, check_selinux},
	{"versions", "reads the versions", CHECK_EVERYWHERE, SECONDS, check_versions},
	{"node_files", "looks at where this is", CHECK_IN_CONTAINER, SECONDS, check_elsewhere},
};

const size_t n_all_checks = sizeof(all_checks) / sizeof(all_checks[0]);
