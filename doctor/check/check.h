/* SPDX-License-Identifier: Apache-2.0 */
/* The checks, one file per topic, and the list of them. */
#ifndef OCI_RDMA_DOCTOR_CHECK_H
#define OCI_RDMA_DOCTOR_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/container/container.h"
#include "doctor/doctor.h"
#include "doctor/finding.h"
#include "doctor/nccl/nccl.h"
#include "doctor/target/target.h"
#include "lib/limits.h"

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
check_function check_kernel, check_devices, check_ports, check_limits, check_nccl, check_iommu,
	check_gpudirect, check_distance, check_cuda, check_kernel_log, check_plan, check_seccomp,
	check_engine_files, check_nri, check_missed, check_policy, check_selinux, check_versions,
	check_elsewhere;

/* All of them, in the order of causes: what comes first explains what comes behind it. */
extern const struct check all_checks[];
extern const size_t n_all_checks;

/* The only one that can be made where there is no openat2(2) */
extern const struct check kernel_check;

/* ---- what oci-rdma-hook decides on the target, where its config.json was found (plan.c) ---- */

/* As --dry-run makes it. Returns 1, 0 if there is no config.json to make it from, or -1 with the
 * reason for which none can be made. */
int plan_of_target(const struct doctor *doctor, struct container *container, struct err *err);

/* The same for a config.json of the node; id NULL: its directory's name. 0: not all is asked for,
 * and the spec alone says that it gets nothing */
int plan_of_config(const struct doctor *doctor, const char *config, const char *id, bool all,
		   struct container *container, struct err *err);

/* What to do about a target that lacks what a plan gives: from its decision, or the reason that
 * there is none. In the arena; NULL without memory, and where the plan grants what it lacks. */
const char *plan_remedy(struct arena *arena, int status, const struct container *container,
			const struct err *err);

/* True if the target is not the container's first process, and that one has a higher soft limit: a
 * hook reaches the first process, and no exec. */
bool limits_of_first_are_higher(const struct doctor *doctor, uint64_t soft);

/* ---- whether a PCI bridge sends traffic between devices up to the root (iommu.c) ---- */

#define ACS_CONFIG_SIZE 4096 /* PCI Express configuration space */

enum acs_state {
	ACS_UNREADABLE, /* less than the extended space: sysfs shows 64 bytes without
			   CAP_SYS_ADMIN (drivers/pci/pci-sysfs.c, pci_read_config) */
	ACS_NONE,       /* the bridge has no such capability */
	ACS_DIRECT,     /* what goes from one device to another stays in the switch */
	ACS_REDIRECT,   /* requests or completions go up to the root complex */
};

/* config: len bytes of a bridge's configuration space. *ret_control: the ACS control register,
 * where it has one (linux/pci_regs.h, PCI_ACS_CTRL). */
enum acs_state acs_read(const uint8_t *config, size_t len, uint16_t *ret_control);

/* What nccl.c and nccl_hca.c share */
struct nccl_context {
	const struct doctor *doctor;
	struct findings *findings;
	struct nccl_settings settings;
	struct netdevs netdevs;
	struct devices devices; /* the target's, with ports and GIDs */
};

/* Each returns 0, or -1 without memory. */
int nccl_check_hca(const struct nccl_context *context);
int nccl_check_gid_index(const struct nccl_context *context);

/* The device's interface, as its GID table tells it to every network namespace */
void nccl_name_interface(const struct doctor *doctor, struct device *device);

#endif
