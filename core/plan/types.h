/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan is made from, and what it says. */
#ifndef OCI_RDMA_PLAN_TYPES_H
#define OCI_RDMA_PLAN_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/base/warning.h"
#include "core/node/device.h"
#include "core/node/gpu.h"
#include "core/policy/config.h"
#include "core/policy/request.h"
#include "core/spec/spec.h"

enum decision {
	DECISION_NONE, /* not asked for, no workload container, or nothing allocated */
	DECISION_GRANT,
	DECISION_TCP,    /* nothing allocated, and the config says to use TCP then */
	DECISION_DENIED, /* asked for, and the config says no */
};

enum setting_state {
	SETTING_NEW,     /* the container's environment does not have it */
	SETTING_PRESENT, /* has it already, with this value */
	SETTING_KEPT,    /* has another value, which stays */
};

enum setting_scope {
	SCOPE_NCCL, /* the environment, or /etc/nccl.conf */
	SCOPE_ENV,  /* the environment only */
};

/* One variable for NCCL, or for a library beside it */
struct setting {
	const char *name;
	const char *value;
	enum setting_state state;
	enum setting_scope scope;
};

struct plan {
	enum decision decision;
	const char *reason;
	bool fail; /* denied, and the container must not start */

	bool sets_memlock;     /* the limits below are to hold */
	uint64_t memlock;      /* bytes, or MEMLOCK_UNLIMITED */
	const char *shortage;  /* why memlock is less than was granted; NULL: it is not */
	bool adds_rlimit;      /* process.rlimits does not have that much yet */
	uint64_t capabilities; /* that some of the five sets lacks */
	uint64_t granted;      /* capabilities, those included that the spec has already */

	uint32_t seccomp; /* system calls that linux.seccomp is to allow (spec/seccomp.h) */

	struct setting *settings; /* in the order of nccl.conf */
	size_t n_settings;
	size_t settings_room;
	bool nccl_conf_mounted; /* a mount covers /etc/nccl.conf: not to be written */
};

/* All that a plan is made from; nothing of it is changed. */
struct facts {
	const struct spec *spec;
	const struct config *config;
	const struct request *request;
	const struct devices *devices;
	const struct gpus *gpus; /* NULL or empty where nobody looked, as rdma_mode is unknown */
	enum rdma_mode rdma_mode;
	/* What the image's /etc/nccl.conf says; NULL or without bytes where it cannot be seen */
	const struct fs_text *image_conf;
	uint64_t memlock_max; /* what a rootless engine can raise the limit to; 0: to any */
	uint64_t node_memory; /* in bytes, where the config requires a limit below it; 0: unknown */
};

/* What making a plan takes: the facts, and where what comes of them goes */
struct planning {
	struct arena *arena; /* owns all that is in the plan */
	const struct facts *facts;
	struct plan *plan;
	struct warnings *warnings;
};

#endif
