/* SPDX-License-Identifier: Apache-2.0 */
/* The topology as tables, for a terminal and for a page, and as JSON. */
#ifndef OCI_RDMA_DOCTOR_REPORT_TOPOLOGY_H
#define OCI_RDMA_DOCTOR_REPORT_TOPOLOGY_H

#include <stdio.h>
#include <yajl/yajl_gen.h>

#include "doctor/doctor.h"
#include "doctor/report/table.h"
#include "doctor/topology/topology.h"

/* A row for each GPU and HCA, a column for each GPU: their distances; and the NUMA node */
struct table topology_distances(struct arena *arena, const struct topology *topology);

/* A row for each GPU and each port of an HCA: all else */
struct table topology_devices(struct arena *arena, const struct topology *topology);

/* Each returns 0, or -1 if out could not be written. */
int topology_print_text(FILE *out, const struct doctor *doctor, const struct topology *topology);
int topology_print_json(FILE *out, const struct doctor *doctor, const struct topology *topology);

#endif
