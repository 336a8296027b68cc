/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a log: which symptoms and facts it shows. */
#ifndef OCI_RDMA_DOCTOR_SYMPTOM_MATCH_H
#define OCI_RDMA_DOCTOR_SYMPTOM_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "doctor/symptom/seen.h"
#include "doctor/symptom/words.h"

/* What goes from one line of a log to the next; all zero at first */
struct matcher {
	struct words_found found; /* in the line that matcher_wants looked at */
	struct words_found
		known; /* those of facts and areas that were seen before: not looked for again */
	unsigned dump; /* lines of libmlx5's dump to come */
	enum grade letter; /* klog's, of the line that matcher_wants looked at */
	bool informs;      /* by its letter the line is mere information */
	enum grade heard;  /* lines of this grade, and below, are looked at no more */
};

/*
 * True if the line may show something, so that match_line is worth its while. text: len bytes of a
 * line as they were read.
 */
bool matcher_wants(struct matcher *matcher, const char *text, size_t len);

/* line: the same, NUL-terminated and in lower case. Next behind matcher_wants. */
void match_line(struct matcher *matcher, const char *line, struct match *ret_match);

/* Lines of this grade, and below, are heard: no more of them are looked at. */
void matcher_hears(struct matcher *matcher, enum grade grade);

#endif
