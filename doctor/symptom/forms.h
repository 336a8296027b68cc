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

/* Work completions by their numbers. Returns true if there are any. */
bool match_completions(const char *line, struct match *match);

/* One by its status' name, which the line has */
void match_status(const char *line, const char *name, long status, struct match *match);

/* Functions of libibverbs that failed */
void match_calls(const char *line, struct match *match);

/* "Failed to register memory: Bad address": what the line calls an object, and an errno behind it,
 * stand for a call that failed. */
void match_object(const char *line, const char *object, const char *call, struct match *match);

/* A resource of a node of which there is none: as the call "allocatable" */
void match_resource(const char *line, struct match *match);

#endif
