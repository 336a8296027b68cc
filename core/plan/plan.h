/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a container gets, and why. A pure function of what was read: no I/O here, so that tables can
 * test it.
 */
#ifndef OCI_RDMA_CORE_PLAN_PLAN_H
#define OCI_RDMA_CORE_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/node/pci.h"
#include "core/policy/policy.h"
#include "core/spec/spec.h"

/* ---- what a plan is made from, and what it says ---- */

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

	uint64_t memlock;      /* bytes, or MEMLOCK_UNLIMITED; 0: the limit stays */
	const char *shortage;  /* why memlock is less than was granted; NULL: it is not */
	const char *withheld;  /* why capabilities that were granted are not given; NULL: none */
	bool adds_rlimit;      /* process.rlimits does not have that much yet */
	uint64_t capabilities; /* that some of the five sets lacks */
	uint64_t granted;      /* capabilities, those included that the spec has already */

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

/* ---- the whole plan (plan.c) ---- */

/*
 * Decision, reason, limit and capabilities: they need the number of devices, nothing else about
 * them. The first row that holds:
 *
 *   the container                                    decision  must it fail?
 *   is a sandbox, refuses, does not ask, or asks     none      no
 *     for others of its pod
 *   has no device; on_no_device is "ignore", or      none      no
 *     only opt_in "device" asks
 *   is in a namespace that is not admitted           denied    if on_denied says so, and it asks by
 *                                                              itself and has a device
 *   has no device; on_no_device is "tcp"             tcp       no
 *   has no device; on_no_device is "fail"            denied    yes
 *   lacks the memory limit that is required          denied    as its namespace
 *   is to have more than the engine can give, and    denied    yes
 *     on_error is "fail"
 *   else                                             grant     no
 */
int plan_decide(const struct planning *p, struct err *err);

/* Completes a plan that gives something and was decided from the same facts, and adds its warnings;
 * all of it lives in the arena. Both return 0, or -1 without memory. */
int plan_fill(const struct planning *p, struct err *err);

/* "grant", "tcp", "none", "denied" */
extern const char *const decision_names[];

/* The decision is "grant" or "tcp". */
bool plan_gives(const struct plan *plan);

/* Lines NAME=value for /etc/nccl.conf, in the arena, with our values that the environment has too:
 * a session of sshd, sudo or `env -i` lacks them. "": none; NULL without memory */
const char *plan_nccl_lines(struct arena *arena, const struct plan *plan);

/* ---- why not all of it (reasons.c): texts in the arena; NULL without memory ---- */

#define NO_DEVICE "no RDMA device allocated"

const char *asked_how(const struct planning *p); /* plan.c */
const char *tcp_reason(const struct planning *p);
const char *no_device_reason(const struct planning *p);
const char *namespace_reason(const struct planning *p);
const char *memory_reason(const struct planning *p);
const char *shortage_reason(const struct planning *p);
const char *withheld_reason(struct arena *arena, uint64_t capabilities);

/* ---- the variables (nccl.c, optional.c) ---- */

/* What is not here is left to NCCL on purpose: it chooses DMA-BUF, algorithms and channels better
 * than a value that was right on one node once. */
void nccl_rdma_settings(const struct planning *p);
void nccl_tcp_settings(const struct planning *p);

/* Those of UCX, NVSHMEM, DeepEP and gloo, which read the environment alone: no hook can set them */
void framework_settings(const struct planning *p);

/* "net1,net2" with front before it, or NULL with a warning that the variable is not set */
const char *interface_list(const struct planning *p, const char *variable, const char *front);

/* One GID index for all devices, which is right only if all agree; NULL: no device needs one, or a
 * warning says why it is not set. */
const char *common_gid_index(const struct planning *p);

/* Adds a variable to plan->settings, unless value is NULL, or longer than CONFIG_VALUE_MAX. What
 * the container's environment or its image's nccl.conf sets stays, with a warning if it differs. */
void setting_add(const struct planning *p, enum setting_scope scope, const char *name,
		 const char *value);

/* p, code, format, … */
#define plan_warn(p, ...) ((void)warnings_add((p)->arena, (p)->warnings, __VA_ARGS__))

/* Raises soft and hard limit to at least bytes; what is higher stays. False if both were high
 * enough */
bool memlock_raise(struct rlimit64 *limit, uint64_t bytes);

#endif
