/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the HTML page: text and the topology's drawing. */
#ifndef OCI_RDMA_DOCTOR_HTML_H
#define OCI_RDMA_DOCTOR_HTML_H

#include <stdio.h>

#include "doctor/finding.h"
#include "doctor/topology/topology.h"

/* ---- text within HTML and SVG (markup.c) ---- */

/*
 * Text within HTML and SVG: names of devices, containers and values come from the pod's author,
 * and the report is opened by who administers the cluster.
 */

/*
 * Text or the value of an attribute in quotes of either kind. '?' stands for control
 * characters, what is no UTF-8 or may not be in an XML document, and characters that turn the
 * direction of writing, with which a text reads as another one.
 */
void markup_put(FILE *out, const char *text);

/* ---- the topology's drawing (drawing.c) ---- */

/*
 * The topology as an SVG drawing: boxes for NUMA nodes, host bridges and PCI switches, one within
 * the other, and in them the GPUs and HCAs. How far two are from each other is which box is the
 * smallest that holds both. Colours are the page's.
 */

/* Not more than so many are drawn; the tables have all. */
#define DRAWING_MAX 200

/* findings: what fails or warns is marked where it is. Returns 0, or -1 without memory. */
int drawing_print(FILE *out, const struct topology *topology, const struct findings *findings);

#endif
