/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "admin/engine/containerd.h"
#include "admin/engine/crio.h"
#include "admin/engine/docker.h"
#include "core/base/arena.h"
#include "core/policy/policy.h"

/* The shim's runtime: "crun" of "…/oci-rdma-runtime-crun", points into shim; "" if it takes the
 * first of the list */
const char *handler_runtime_name(const char *shim);

/* shim: absolute, fits in TOML quotes, names its runtime. usual, other: for the error */
int handler_check_name(const char *shim, const char *usual, const char *other, struct err *err);

/* CRI-O does not start without each handler's monitor (pkg/config, TranslateMonitorFields). root:
 * the node. */
int handler_check_monitor(struct arena *arena, int root, const struct crio *crio,
			  const struct crio_handler *handler, struct err *err);

/* The shim must run CRI-O's own handler's program: others may be too old for its config.json */
int handler_check_runtime(struct arena *arena, int root, const struct crio *crio,
			  const struct crio_handler *handler, struct err *err);

/* Annotations must reach the shim too. own: what containerd's own handler runs; "": from PATH */
int handler_check_containerd(struct arena *arena, int root,
			     const struct containerd_handler *handler, const char *own,
			     const struct config *config, struct err *err);

/* In the order in which an engine meets them */
enum handler_fault {
	HANDLER_RIGHT,
	HANDLER_NO_PROGRAM, /* CRI-O skips the handler */
	HANDLER_NO_MONITOR,
	HANDLER_OTHER_RUNTIME,
	HANDLER_WRONG, /* see why */
};

struct handler_verdict {
	enum handler_fault fault;
	const char *replaced_by; /* containerd's: a file whose tables may replace it, or NULL */
	struct err why;          /* one line with file and handler */
};

/* Judges a handler, with the shim or without, for --check-config and the doctor. */
void handler_judge_crio(struct arena *arena, int root, const struct crio *crio,
			const struct crio_handler *handler, struct handler_verdict *ret_verdict);

/* The same for containerd's with the shim */
void handler_judge_containerd(struct arena *arena, int root, const struct containerd *containerd,
			      const struct containerd_handler *handler, const struct config *config,
			      struct handler_verdict *ret_verdict);

/* Checks a runtime with the shim. */
int handler_check_docker(struct arena *arena, int root, const struct docker_runtime *runtime,
			 struct err *err);
