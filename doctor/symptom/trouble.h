/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line that a program calls an error, or that looks like one, and that shows nothing known: what
 * it says nevertheless. Its reason and what that happened to (reasons.txt), the part of the program
 * that wrote it (parts.txt), and whose line it is (areas.txt). All of it is read from this line
 * alone, by words with borders: the rest of the log may be another program's.
 */
#ifndef OCI_RDMA_DOCTOR_SYMPTOM_TROUBLE_H
#define OCI_RDMA_DOCTOR_SYMPTOM_TROUBLE_H

#include "doctor/symptom/known.h"

struct trouble {
	const struct known_because *because; /* each NULL if the line does not tell it */
	const struct known_part *part;
	const struct known_area *area;
};

/* line: NUL-terminated, in lower case */
void trouble_read(const char *line, struct trouble *ret_trouble);

/*
 * klog's and glog's severity: "E0325 13:39:02.324084", "E20260821 12:30:19". text: len bytes as
 * they were read; only its beginning is looked at. GRADE_NONE if there is none. *ret_informs is
 * true for I, which calls the line mere information, whatever words it has.
 */
enum grade trouble_letter(const char *text, size_t len, bool *ret_informs);

#endif
