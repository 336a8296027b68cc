/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/node/node.h"
#include "core/node/pci.h"
#include "core/policy/policy.h"

enum decision {
	DECISION_NONE,
	DECISION_GRANT,
	DECISION_TCP,
	DECISION_DENIED,
};

enum setting_state {
	SETTING_NEW,     /* the environment lacks it */
	SETTING_PRESENT, /* has this value already */
	SETTING_KEPT,    /* has another value, which stays */
};

enum setting_scope {
	SCOPE_NCCL, /* environment or nccl.conf */
	SCOPE_ENV,  /* environment only */
};

struct setting {
	const char *name;
	const char *value;
	enum setting_state state;
	enum setting_scope scope;
};

struct plan {
	enum decision decision;
	const char *reason;
	bool fail; /* must not start */

	uint64_t memlock;                        /* bytes, or MEMLOCK_UNLIMITED; 0: unchanged */
	const char *low_limit_reason;            /* NULL: as granted */
	const char *missing_capabilities_reason; /* NULL: none missing */
	bool adds_rlimit;                        /* process.rlimits has less */
	uint64_t capabilities;                   /* that some set lacks */
	uint64_t granted;                        /* including the spec's */

	uint32_t seccomp; /* calls to allow; bit n is seccomp_names[n] */

	struct setting *settings; /* in nccl.conf's order */
	size_t n_settings;
	size_t settings_room;
	bool new_settings;
	bool nccl_conf_mounted; /* a mount hides it: do not write */
};

/* Inputs (read only) and outputs */
struct planning {
	struct arena *arena; /* owns the plan's contents */
	const struct spec *spec;
	const struct config *config;
	const struct request *request;
	const struct devices *devices;
	const struct gpus *gpus; /* by address */
	/* NULL, no bytes: not visible */
	const struct fs_text *image_conf;
	uint64_t memlock_max; /* the engine's maximum; 0: none */
	uint64_t lacking;     /* capabilities that the engine lacks */
	uint64_t node_memory; /* bytes; 0: unknown */
	struct plan *plan;
	struct warnings *warnings;
};

#define plan_warn(p, ...) ((void)warnings_add((p)->arena, (p)->warnings, __VA_ARGS__))
