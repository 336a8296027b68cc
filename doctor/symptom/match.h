/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a log: which symptoms it shows. */
#ifndef OCI_RDMA_DOCTOR_SYMPTOM_MATCH_H
#define OCI_RDMA_DOCTOR_SYMPTOM_MATCH_H

#include <stdbool.h>

#include "doctor/symptom/known.h"

struct match {
	const char *at[SYMPTOMS]; /* where in the line it is seen first; NULL if it is not */
	bool channel;             /* a channel of NCCL goes over a network… */
	bool gdr;                 /* …and by GPUDirect RDMA */
};

/*
 * line: NUL-terminated and in lower case. *dump: how many lines of libmlx5's dump of a completion
 * are still to come, from one line to the next; 0 at first.
 */
struct match match_line(const char *line, unsigned *dump);

#endif
