/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The topology as an SVG drawing: boxes for NUMA nodes, host bridges and PCI switches, one within
 * the other, and in them the GPUs and HCAs. How far two are from each other is which box is the
 * smallest that holds both. Colours are the page's.
 */
#ifndef OCI_RDMA_DOCTOR_DRAWING_H
#define OCI_RDMA_DOCTOR_DRAWING_H

#include <stdio.h>

#include "doctor/finding.h"
#include "doctor/topology/topology.h"

/* Not more than so many are drawn; the tables have all. */
#define DRAWING_MAX 200

/* findings: what fails or warns is marked where it is. Returns 0, or -1 without memory. */
int drawing_print(FILE *out, const struct topology *topology, const struct findings *findings);

#endif
