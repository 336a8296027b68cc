/* SPDX-License-Identifier: Apache-2.0 */
/* The checks, one file per topic, and the list of them. */
#pragma once

#include <stddef.h>

#include "doctor/doctor.h"
#include "doctor/finding.h"

/* What a container without a device lacks first */
#define REMEDY_REQUEST                                                                             \
	"Request a device: in resources.limits of the pod, or with podman --device "               \
	"/dev/infiniband/uverbsN"

/* Adds findings with ids of its own, which are stable. -1: it could not be made at all, and
 * findings->err says why. */
typedef int check_function(const struct doctor *doctor, struct findings *findings);

enum check_where {
	CHECK_EVERYWHERE,
	CHECK_ON_NODE,      /* needs files that no container sees */
	CHECK_IN_CONTAINER, /* runs in one */
};

struct check {
	const char *id;    /* of its finding if it cannot be made */
	const char *doing; /* "reads the kernel log", where it does not end */
	enum check_where where;
	int seconds; /* how long it may take; 0: as long as it wants */
	check_function *run;
};

/* Which findings each adds: doc/json.md */
check_function check_kernel, check_devices, check_ports, check_limits, check_pinned, check_nccl,
	check_iommu, check_gpudirect, check_distance, check_cuda, check_kernel_log, check_plan,
	check_seccomp, check_engine_files, check_nri, check_missed, check_policy, check_selinux,
	check_versions, check_elsewhere;

/* All of them, in the order of causes: what comes first explains what comes behind it. */
extern const struct check all_checks[];
extern const size_t n_all_checks;

/* The only one that can be made where there is no openat2(2) */
extern const struct check kernel_check;
