/* SPDX-License-Identifier: Apache-2.0 */
/* What one line of a log shows, and the forms that are more than words. */
#ifndef OCI_RDMA_DOCTOR_SYMPTOM_SEEN_H
#define OCI_RDMA_DOCTOR_SYMPTOM_SEEN_H

#include <stddef.h>

#include "doctor/symptom/known.h"

/* A symptom that the line shows, by its place, see known_at */
struct seen {
	size_t symptom;
	const char *at;   /* where in the line it is seen first */
	const char *from; /* the thread or source of the message; NULL for the symptom's own */
};

struct match {
	size_t n;
	struct seen seen[SYMPTOMS_MAX]; /* each symptom once */
	unsigned facts;
	unsigned areas;      /* as known_next_step takes them */
	enum grade grade;    /* of the line, GRADE_NONE if it shows a symptom or nothing bad */
	const char *trouble; /* what looks like an error, if there is a grade */
};

/* ---- the special forms: completions.c and calls.c ---- */

/* Notes that the symptom is seen here, if nowhere before. from: NULL for the symptom's own */
void match_add(struct match *match, size_t symptom, const char *at, const char *from);

/* Work completions, as numbers or by name. *dump: how many lines of libmlx5's dump are to come. */
void match_completions(const char *line, unsigned *dump, struct match *match);

/* Functions of libibverbs that failed */
void match_calls(const char *line, struct match *match);

#endif
