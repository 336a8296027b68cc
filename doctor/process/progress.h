/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells who sits at the terminal what takes longer than a second. A process of its own watches, so
 * that no check is interrupted by a signal.
 */
#ifndef OCI_RDMA_DOCTOR_PROGRESS_H
#define OCI_RDMA_DOCTOR_PROGRESS_H

#include <sys/types.h>

struct progress {
	int out; /* to the watching process; -1: nobody is there to be told */
	pid_t child;
};

#define PROGRESS_NONE ((struct progress){.out = -1})

/* Does nothing where stderr is no terminal. */
void progress_start(struct progress *progress);
void progress_say(const struct progress *progress, const char *doing);
void progress_end(struct progress *progress);

#define cleanup_progress __attribute__((cleanup(progress_end))) struct progress

#endif
