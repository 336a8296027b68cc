/* SPDX-License-Identifier: Apache-2.0 */
/* The parent's side of a child that asks the driver. */
#ifndef OCI_RDMA_DOCTOR_CUDA_TALK_H
#define OCI_RDMA_DOCTOR_CUDA_TALK_H

#include <stdbool.h>

#include "core/base/err.h"
#include "doctor/cuda/record.h"
#include "doctor/cuda/types.h"

struct talk {
	/* Gets each record but steps; a negative value means that there is no memory. */
	int (*on_record)(void *context, const struct record *record);
	void *context;
	/* Afterwards: */
	bool done;                  /* the child said all that it had to say */
	char step[RECORD_TEXT_MAX]; /* the call that had begun last */
	char why[160]; /* not done: what became of it, "did not return within 30.0 s" */
};

/* work is one of probe.h's. Returns 0, or -1 without a child or memory. */
int talk_run(struct talk *talk, void (*work)(void *context, int out), void *probe,
	     const struct cuda_options *options, struct err *err);

#endif
