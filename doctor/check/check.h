/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

#include "doctor/doctor.h"
#include "lib/finding.h"

#define REMEDY_REQUEST                                                                             \
	"Request a device: in resources.limits of the pod, or with podman --device "               \
	"/dev/infiniband/uverbsN"

/* Adds findings with stable ids. Returns -1 with findings->err if it cannot run. */
typedef int check_function(const struct doctor *doctor, struct findings *findings);

enum check_where {
	CHECK_EVERYWHERE,
	CHECK_ON_NODE, /* needs files hidden from containers */
	CHECK_IN_CONTAINER,
};

struct check {
	const char *id;    /* of the finding if it cannot run */
	const char *doing; /* for the timeout: "reads the kernel log" */
	enum check_where where;
	int seconds; /* 0: no limit */
	check_function *run;
};

/* Their findings: doc/json.md */
check_function check_kernel, check_devices, check_ports, check_limits, check_pinned, check_nccl,
	check_iommu, check_gpudirect, check_distance, check_cuda, check_kernel_log, check_plan,
	check_seccomp, check_engine_files, check_nri, check_missed, check_policy, check_selinux,
	check_versions, check_elsewhere;

/* Earlier ones explain later ones. */
extern const struct check all_checks[];
extern const size_t n_all_checks;

/* The only check that works without openat2(2) */
extern const struct check kernel_check;
