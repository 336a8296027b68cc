/* SPDX-License-Identifier: Apache-2.0 */
/* The checks, one file per topic, and the list of them. */
#ifndef OCI_RDMA_DOCTOR_CHECK_H
#define OCI_RDMA_DOCTOR_CHECK_H

#include <stddef.h>

#include "core/base/err.h"
#include "doctor/doctor.h"
#include "doctor/finding.h"

/* What a container without a device lacks first */
#define REMEDY_REQUEST                                                                             \
	"Request a device: in resources.limits of the pod, or with podman --device "               \
	"/dev/infiniband/uverbsN"

/* Adds findings with ids of its own, which are stable; -1 with *err: it could not be made at all.
 */
typedef int check_function(const struct doctor *doctor, struct findings *findings, struct err *err);

enum check_where {
	CHECK_EVERYWHERE,
	CHECK_ON_NODE,      /* needs files that no container sees */
	CHECK_IN_CONTAINER, /* runs in one */
};

struct check {
	const char *id;    /* of its finding if it cannot be made */
	const char *doing; /* "reads the kernel log", for who waits */
	enum check_where where;
	int seconds; /* how long it may take; 0: as long as it wants */
	check_function *run;
};

check_function check_kernel;     /* kernel */
check_function check_devices;    /* rdma_devices uverbs rdma_cm allocation */
check_function check_ports;      /* rdma_netns_mode rdma_netns port gid mtu */
check_function check_limits;     /* memlock ipc_lock */
check_function check_nccl;       /* nccl_conf nccl_ib_disable nccl_ib_hca nccl_ib_gid_index … */
check_function check_iommu;      /* iommu_group acs iommu_arguments */
check_function check_gpudirect;  /* gpudirect */
check_function check_cuda;       /* cuda_library cuda_init cuda_gpu cuda_gpudirect_rdma … */
check_function check_kernel_log; /* kernel_log */
check_function check_plan;       /* plan plan_memlock plan_nccl */
check_function check_seccomp;    /* seccomp */
check_function check_hooks;      /* hook_file hook_installed */
check_function check_crio;       /* crio_config crio_running_config crio_handler crio_running … */
check_function check_containerd; /* containerd_config containerd_handler */
check_function check_nri;        /* nri entry_points */
check_function check_missed;     /* missed */
check_function check_policy;     /* policy */
check_function check_selinux;    /* selinux */
check_function check_versions;   /* versions */
check_function check_elsewhere;  /* node_files */

struct crio;
/* How often CRI-O may be asked */
#define CRIO_QUESTIONS 3
/* What a running CRI-O says of itself, or else what it reads in its files, beside what we read
 * there. Returns 0, or -1 without memory. */
int crio_check_running(const struct doctor *doctor, struct findings *findings,
		       const struct crio *files);

/* All of them, in the order of causes: what comes first explains what comes behind it. */
extern const struct check all_checks[];
extern const size_t n_all_checks;

/* The only one that can be made where there is no openat2(2) */
extern const struct check kernel_check;

#endif
