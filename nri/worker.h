/* SPDX-License-Identifier: Apache-2.0 */
/* Decides in a child with a deadline: /sys, policy or network namespaces may stall, and the runtime
 * closes late plugins for good. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/base/arena.h"
#include "lib/child.h"
#include "nri/wire/field.h"

/* Timed out (even killed, they may hang in a driver), or still logging */
#define CHILDREN_MAX 64

struct children {
	size_t n;
	pid_t pid[CHILDREN_MAX];
	const int *closed; /* closed in each child */
};

/* Like child_start(); -EAGAIN: too many */
int children_start(struct children *children, struct child *child, child_work *work, void *context,
		   int limit_ms);

/* Does not reap children inherited over execve(2) */
void children_reap(struct children *children);

/* Gives them a moment to log */
void children_finish(struct children *children);

/* More than CONFIG_SIZE_MAX can fill */
#define VERDICT_SIZE_MAX (1024 * 1024)

enum verdict_kind {
	VERDICT_DECIDED,
	/* until decided: refuse or allow if late */
	VERDICT_MUST_FAIL,
	VERDICT_MAY_START,
};

struct verdict {
	bool must_fail;
	const char *reason;      /* if late or lost, else NULL */
	struct message response; /* in the arena */
};

/* In the child. -1 without reader. response may be NULL */
int worker_send(int out, enum verdict_kind kind, const struct message *response);

/* Never fails. work: sends its verdict to out */
void worker_run(struct children *children, struct arena *arena, child_work *work, void *context,
		int patience_ms, struct verdict *ret_verdict);
