/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of a log's lines that are more than words: work completions and calls of libibverbs */
#ifndef OCI_RDMA_DOCTOR_SYMPTOM_FORMS_H
#define OCI_RDMA_DOCTOR_SYMPTOM_FORMS_H

#include "doctor/symptom/known.h"

/* What one line shows */
struct match {
	size_t n;
	struct {
		size_t row;     /* of known_rows; each once */
		const char *at; /* where in the line it is seen first */
	} seen[KNOWN_MAX];
	bool error; /* it looks like an error */
};

/* Notes that the row is seen here, if nowhere before */
void match_add(struct match *match, size_t row, const char *at);

/* Work completions, as numbers or by name */
void match_completions(const char *line, struct match *match);

/* Functions of libibverbs that failed */
void match_calls(const char *line, struct match *match);

#endif
