/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, as a page. Returns 0, or -1 if out could not be written. */
#ifndef OCI_RDMA_DOCTOR_REPORT_FINDINGS_HTML_H
#define OCI_RDMA_DOCTOR_REPORT_FINDINGS_HTML_H

#include <stdio.h>

#include "doctor/doctor.h"
#include "doctor/finding.h"

/* One page */
int findings_print_html(FILE *out, const struct doctor *doctor, const struct findings *findings);

#endif
