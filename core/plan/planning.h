/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan is made from, and what it says */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/node/node.h"
#include "core/node/pci.h"
#include "core/policy/policy.h"

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

	uint64_t memlock;             /* bytes, or MEMLOCK_UNLIMITED; 0: the limit stays */
	const char *low_limit_reason; /* why memlock is less than was granted; NULL: it is not */
	const char *missing_capabilities_reason; /* why capabilities that were granted are not
						    given; NULL: none */
	bool adds_rlimit;                        /* process.rlimits does not have that much yet */
	uint64_t capabilities;                   /* that some of the five sets lacks */
	uint64_t granted; /* capabilities, those included that the spec has already */

	uint32_t seccomp; /* system calls that linux.seccomp is to allow (spec/spec.h) */

	struct setting *settings; /* in the order of nccl.conf */
	size_t n_settings;
	size_t settings_room;
	bool new_settings;      /* there is one that the container's environment does not have */
	bool nccl_conf_mounted; /* a mount covers /etc/nccl.conf: not to be written */
};

/* What a plan is made from, of which nothing is changed, and where the results go */
struct planning {
	struct arena *arena; /* owns all that is in the plan */
	const struct spec *spec;
	const struct config *config;
	const struct request *request;
	const struct devices *devices;
	const struct gpus *gpus; /* for frameworks.deepep; in order of address */
	/* What the image's /etc/nccl.conf says; NULL or without bytes where it cannot be seen */
	const struct fs_text *image_conf;
	uint64_t memlock_max; /* what the engine can raise the limit to; 0: to any */
	uint64_t lacking;     /* capabilities that the engine lacks */
	uint64_t node_memory; /* in bytes, where the config requires a limit below it; 0: unknown */
	struct plan *plan;
	struct warnings *warnings;
};

/* p, code, format, … */
#define plan_warn(p, ...) ((void)warnings_add((p)->arena, (p)->warnings, __VA_ARGS__))
