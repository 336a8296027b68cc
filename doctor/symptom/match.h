/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a log: what it shows */
#ifndef OCI_RDMA_DOCTOR_SYMPTOM_MATCH_H
#define OCI_RDMA_DOCTOR_SYMPTOM_MATCH_H

#include "doctor/symptom/forms.h"
#include "doctor/symptom/line.h"

/* What goes from one line of a log to the next; all zero at first */
struct matcher {
	struct words_found found; /* in the line that matcher_wants looked at */
	unsigned dump;            /* lines of libmlx5's dump to come */
};

/*
 * True if the line may show something, so that match_line is worth its while. text: len bytes of a
 * line as they were read.
 */
bool matcher_wants(struct matcher *matcher, const char *text, size_t len);

/* line: the same, NUL-terminated and in lower case. Next behind matcher_wants. */
void match_line(struct matcher *matcher, const char *line, struct match *ret_match);

#endif
