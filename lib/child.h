/* SPDX-License-Identifier: Apache-2.0 */
/* Work that may hang, crash or write garbage, in a child with a deadline. It writes records to a
 * pipe (fs_write()). */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/err.h"

struct child {
	pid_t pid;
	int in;           /* the pipe's read end, or -1 */
	int64_t deadline; /* by clock_ms() */
};

/* Like fork(2); dies with its parent. Closes *closed (NULL or -1: none), so that it does not
 * outlive the parent's descriptor. */
pid_t child_fork(const int *closed);

/* In the child; out: the pipe's write end */
typedef void child_work(void *context, int out);

int child_start(struct child *child, const int *closed, child_work *work, void *context,
		int limit_ms, struct err *err);

/* Returns 1 with a record, 0 at the end, -ETIMEDOUT, -EPROTO if cut, or -errno */
int child_read(const struct child *child, void *record, size_t size);

/* Kills the child and closes the pipe; call once. Returns waitpid(2)'s status, or -1 if the child
 * hangs in a driver; init then reaps it. */
int child_end(struct child *child);
