/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a log: what it shows */
#ifndef OCI_RDMA_DOCTOR_SYMPTOM_MATCH_H
#define OCI_RDMA_DOCTOR_SYMPTOM_MATCH_H

#include "doctor/symptom/forms.h"
#include "doctor/symptom/line.h"

/* Of which of the words that are looked for a line has some: true if match_line is worth its while.
 * text: len bytes of a line as they were read */
bool match_wants(const char *text, size_t len, struct words_found *ret_found);

/* line: the same, NUL-terminated and in lower case; found: by match_wants */
void match_line(const struct words_found *found, const char *line, struct match *ret_match);

#endif
