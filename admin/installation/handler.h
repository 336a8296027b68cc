/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an engine, and its containers, start with a handler that is the shim */
#pragma once

#include "admin/engine/containerd.h"
#include "admin/engine/crio.h"
#include "admin/engine/docker.h"
#include "core/base/arena.h"
#include "core/policy/policy.h"

/* The runtime that a shim of this path stands before: "crun" of "…/oci-rdma-runtime-crun", a part
 * of the argument; "" for that without a name, which takes the first of a list. */
const char *handler_runtime_name(const char *shim);

/* Whether a handler can be made for a shim of this path: it is absolute, can stand in TOML between
 * quotes, and tells its runtime. usual, other: runtimes that the error names. Returns 0 or -1. */
int handler_check_name(const char *shim, const char *usual, const char *other, struct err *err);

/*
 * CRI-O asks for each handler's monitor when it starts, and does not start without (pkg/config,
 * TranslateMonitorFields). root: the node. Returns 0 or -1.
 */
int handler_check_monitor(struct arena *arena, int root, const struct crio *crio,
			  const struct crio_handler *handler, struct err *err);

/*
 * What the shim would run for the handler must be what CRI-O's own handler of that runtime runs:
 * another one may be too old for the config.json that this CRI-O writes. Returns 0 or -1.
 */
int handler_check_runtime(struct arena *arena, int root, const struct crio *crio,
			  const struct crio_handler *handler, struct err *err);

/*
 * The same for one of containerd's, and that the annotations of its pods reach the shim. own: what
 * containerd runs for its own handler of that runtime; "" if that is looked for in PATH. Returns 0
 * or -1.
 */
int handler_check_containerd(struct arena *arena, int root,
			     const struct containerd_handler *handler, const char *own,
			     const struct config *config, struct err *err);

/* What is wrong with a handler, in the order in which an engine meets it */
enum handler_fault {
	HANDLER_RIGHT,
	HANDLER_NO_PROGRAM,    /* CRI-O leaves the handler out */
	HANDLER_NO_MONITOR,    /* CRI-O does not start */
	HANDLER_OTHER_RUNTIME, /* than CRI-O's own handler runs */
	HANDLER_WRONG,         /* containerd's: why says what */
};

struct handler_verdict {
	enum handler_fault fault;
	int error;               /* of HANDLER_NO_PROGRAM: an errno */
	const char *replaced_by; /* containerd's: a file whose tables may take its place, or NULL */
	struct err why;          /* the fault in one line, with file and handler */
};

/* The whole judgement of a handler, with the shim or without, which --check-config and the doctor
 * report in their own words. */
void handler_judge_crio(struct arena *arena, int root, const struct crio *crio,
			const struct crio_handler *handler, struct handler_verdict *ret_verdict);

/* The same for one of containerd's that is the shim */
void handler_judge_containerd(struct arena *arena, int root, const struct containerd *containerd,
			      const struct containerd_handler *handler, const struct config *config,
			      struct handler_verdict *ret_verdict);

/* Whether containers of a runtime of Docker's that is the shim would start. Returns 0 or -1. */
int handler_check_docker(struct arena *arena, int root, const struct docker_runtime *runtime,
			 struct err *err);
