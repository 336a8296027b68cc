/* SPDX-License-Identifier: Apache-2.0 */
/* The bandwidth from each device to each other one, which --verbs --pair measured, as a heat map.
 */
#ifndef OCI_RDMA_DOCTOR_PAIRS_H
#define OCI_RDMA_DOCTOR_PAIRS_H

#include <stdio.h>

#include "doctor/finding.h"

/* Nothing where no pair was tried. Returns 0, or -1 without memory. */
int pairs_print(FILE *out, const struct findings *findings);

#endif
