/* SPDX-License-Identifier: Apache-2.0 */
/* How a line is looked at */
#ifndef OCI_RDMA_DOCTOR_SYMPTOM_LINE_H
#define OCI_RDMA_DOCTOR_SYMPTOM_LINE_H

#include <stdbool.h>

#define UNKNOWN (-1)

/* Characters looked at so far, in this process: what tests judge the cost of a line by */
extern unsigned long line_looks;

/* strstr */
const char *line_search(const char *text, const char *part);

/* strstr between text and end: what repeats in a line costs no more than the line is long. */
const char *line_find(const char *text, const char *end, const char *part);

/* The next place of part behind at, or the line's end */
const char *line_next(const char *at, const char *part);

/*
 * The first place of part in text that has its borders (struct known_word): left_open and
 * right_open lift them. text begins where the line does.
 */
const char *line_find_word(const char *text, const char *part, bool left_open, bool right_open);

/* The number behind the first of fronts (NULL behind the last) that is between text and end; or
 * UNKNOWN */
long line_number_behind(const char *text, const char *end, const char *const *fronts);

#endif
