/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that may hang, crash or write nonsense, such as a driver library's: in a child, with a time
 * limit. The child tells what it found in records of one size, through a pipe.
 */
#ifndef OCI_RDMA_DOCTOR_CHILD_H
#define OCI_RDMA_DOCTOR_CHILD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/err.h"

struct child {
	pid_t pid;
	int in;           /* the pipe's reading end, or -1 */
	int64_t deadline; /* CLOCK_MONOTONIC, in ms */
};

/*
 * Runs work(context, out) in a child that ends with it, is killed if we die, leaves no core file,
 * and has no standard streams: a driver's chatter is not our report. out is the pipe's writing end.
 * Returns 0, or -1 if there could be no child.
 */
int child_start(struct child *child, void (*work)(void *context, int out), void *context,
		int limit_ms, struct err *err);

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

/* Writes a record; for the child. A parent that is gone is no reason to say something. */
void child_tell(int out, const void *record, size_t size);

/* CLOCK_MONOTONIC in ms */
int64_t child_clock(void);

#endif
