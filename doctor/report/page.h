/* SPDX-License-Identifier: Apache-2.0 */
/* Text in 80 columns; colour on a terminal only, without NO_COLOR
 * (no-color.org) or TERM=dumb */
#ifndef OCI_RDMA_DOCTOR_PAGE_H
#define OCI_RDMA_DOCTOR_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "doctor/finding.h"

struct page {
	FILE *out;
	bool colour;
};

struct page page_for(FILE *out);

const char *page_colour_of(enum finding_status status);
void page_paint(const struct page *page, enum finding_status status, const char *text);

/* Words, broken before the page's edge; at: the column reached. A word that is longer than a line
 * stays whole, so that a path can be copied. */
void page_wrap(const struct page *page, size_t at, size_t indent, const char *text);

#endif
