/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that may hang, crash or write nonsense (a driver's files, a driver library, a disk): in a
 * child, with a time limit. The child says what it found in records, through a pipe.
 */
#ifndef OCI_RDMA_CHILD_H
#define OCI_RDMA_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/err.h"

/* Descriptors that must end with the parent, whatever a child hangs in */
#define CHILD_CLOSED 2

/* How often idle() is called */
#define CHILD_IDLE_MS 100

struct child_setup {
	/* It runs a driver library's code: its chatter is not our report, its crash leaves no core
	 * file, and it gets default signals. How it ends tells something: it has a moment for it.
	 */
	bool foreign;
	/* CHILD_CLOSED pointers to descriptors (-1: none), each NULL if there is none; NULL: no
	 * descriptor */
	const int *const *closed;
	/* Called every CHILD_IDLE_MS while the child is waited for, so that a parent that is
	 * watched does not seem to hang; NULL: nothing is */
	void (*idle)(void *context);
	void *idle_context;
};

struct child {
	pid_t pid;
	int in;           /* the pipe's reading end, or -1 */
	int64_t deadline; /* of clock_ms() */
	struct child_setup setup;
};

/* As fork(2), for a child that says nothing: it ends with its parent, and does not have what is
 * closed. */
pid_t child_fork(const int *const *closed);

/*
 * Runs work(context, out) in a child that ends with it, and is killed if we die. out is the pipe's
 * writing end. setup NULL: none of what it says. Returns 0, or -1 if there could be no child.
 */
int child_start(struct child *child, const struct child_setup *setup,
		void (*work)(void *context, int out), void *context, int limit_ms, struct err *err);

/*
 * The next record of size bytes. Returns 1, or 0 at the end of what the child says; -ETIMEDOUT when
 * the time is up, -EPROTO if the end comes in the middle of a record.
 */
int child_read(const struct child *child, void *record, size_t size);

/*
 * Kills the child and closes the pipe; call it once after child_start, whatever else happened.
 * Returns how the child ended, as waitpid(2) says it, or -1 if it does not die: then it hangs in a
 * driver, and goes when it can, by init's hand.
 */
int child_end(struct child *child);

/* Writes a record; for the child. Returns 0, or -1 if the parent has gone on. */
int child_tell(int out, const void *record, size_t size);

#endif
