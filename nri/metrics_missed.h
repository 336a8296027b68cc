/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics of containers that were missed */
#ifndef OCI_RDMA_NRI_METRICS_MISSED_H
#define OCI_RDMA_NRI_METRICS_MISSED_H

#include <stdio.h>

#include "core/nri_status.h"

/* In Prometheus' text format */
void metrics_print_missed(FILE *out, const struct nri_missed_status *missed);

#endif
