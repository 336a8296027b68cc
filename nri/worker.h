/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is found out about one container, in a child with a deadline: what it reads (/sys, the
 * policy, the pod's network namespace) may stall, and the runtime closes a plugin that answers
 * late, for all containers to come.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/base/arena.h"
#include "lib/child.h"
#include "nri/wire/field.h"

/* ---- children that nobody waits for ---- */

/*
 * They were given up, or have answered and write their line yet. One that hangs in a driver may
 * stay for long, even killed; beyond so many, no more are started.
 */
#define CHILDREN_MAX 64

struct children {
	size_t n;
	pid_t pid[CHILDREN_MAX];
	const int *closed; /* in each child */
};

/* As child_start(). Returns 0, -1, or -EAGAIN beside so many. */
int children_start(struct children *children, struct child *child, child_work *work, void *context,
		   int limit_ms);

/* Those that have ended go. Others that this process may have, from its parent, are not touched. */
void children_reap(struct children *children);

/* At the end: gives those that write their line a moment. */
void children_finish(struct children *children);

/* ---- a verdict ---- */

/* More than a policy of CONFIG_SIZE_MAX can fill */
#define VERDICT_SIZE_MAX (1024 * 1024)

enum verdict_kind {
	VERDICT_DECIDED,
	/* On their way: should it be late, the container must not start, or may. */
	VERDICT_MUST_FAIL,
	VERDICT_MAY_START,
};

struct verdict {
	bool must_fail;          /* of one that is late or lost */
	const char *reason;      /* of one that is late or lost; else NULL */
	struct message response; /* in the arena */
};

/* For the child: returns 0, or -1 if nobody hears it any more. response NULL: empty */
int worker_send(int out, enum verdict_kind kind, const struct message *response);

/* Never fails. work: finds the verdict, and says it to out. */
void worker_run(struct children *children, struct arena *arena, child_work *work, void *context,
		int patience_ms, struct verdict *ret_verdict);
