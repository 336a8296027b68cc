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

/* shim must be absolute, fit in TOML quotes and name its runtime. usual, other: for the error */
int handler_check_name(const char *shim, const char *usual, const char *other, struct err *err);

/* CRI-O does not start without each handler's monitor (pkg/config, TranslateMonitorFields) */
int handler_check_monitor(struct arena *arena, int root, const struct crio *crio,
			  const struct crio_handler *handler, struct err *err);

/* The shim must run what CRI-O's own handler runs: others may be too old for its config.json */
int handler_check_runtime(struct arena *arena, int root, const struct crio *crio,
			  const struct crio_handler *handler, struct err *err);

/* Annotations must also reach the shim. own: what containerd's own handler runs; "" if from PATH */
int handler_check_containerd(struct arena *arena, int root,
			     const struct containerd_handler *handler, const char *own,
			     const struct config *config, struct err *err);

/* In the order in which an engine meets them */
enum handler_fault {
	HANDLER_RIGHT,
	HANDLER_NO_PROGRAM, /* CRI-O skips the handler */
	HANDLER_NO_MONITOR, /* CRI-O does not start */
	HANDLER_OTHER_RUNTIME,
	HANDLER_WRONG, /* see why */
};

struct handler_verdict {
	enum handler_fault fault;
	const char *replaced_by; /* its tables may replace it; or NULL */
	struct err why;
};

/* With the shim or without, for --check-config and the doctor */
void handler_judge_crio(struct arena *arena, int root, const struct crio *crio,
			const struct crio_handler *handler, struct handler_verdict *ret_verdict);

/* With the shim */
void handler_judge_containerd(struct arena *arena, int root, const struct containerd *containerd,
			      const struct containerd_handler *handler, const struct config *config,
			      struct handler_verdict *ret_verdict);

/* With the shim */
int handler_check_docker(struct arena *arena, int root, const struct docker_runtime *runtime,
			 struct err *err);
