/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that may hang, crash or write nonsense (a driver's files, a driver library, a disk): in a
 * child, with a time limit. The child says what it found in records, through a pipe (fs_write()).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/err.h"

struct child {
	pid_t pid;
	int in;           /* the pipe's reading end, or -1 */
	int64_t deadline; /* of clock_ms() */
};

/* As fork(2), for a child that says nothing. It ends with its parent. *closed: a descriptor that
 * must do so, too, whatever the child hangs in (-1: none); NULL: no descriptor */
pid_t child_fork(const int *closed);

/* In the child; out is the pipe's writing end. */
typedef void child_work(void *context, int out);

/* Runs work in a child of child_fork(), which ends with it. Returns 0, or -1 if there could be no
 * child. */
int child_start(struct child *child, const int *closed, child_work *work, void *context,
		int limit_ms, struct err *err);

/* The next record of size bytes. Returns 1, or 0 at the end of what the child says; -ETIMEDOUT when
 * the time is up, -EPROTO if the end comes in the middle of a record. */
int child_read(const struct child *child, void *record, size_t size);

/*
 * Kills the child and closes the pipe; call it once after child_start, whatever else happened.
 * Returns how the child ended, as waitpid(2) says it, or -1 if it does not die: then it hangs in a
 * driver, and goes when it can, by init's hand.
 */
int child_end(struct child *child);
