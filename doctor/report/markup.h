/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text within HTML and SVG: names of devices, containers and values come from the pod's author,
 * and the report is opened by who administers the cluster.
 */
#ifndef OCI_RDMA_DOCTOR_MARKUP_H
#define OCI_RDMA_DOCTOR_MARKUP_H

#include <stdio.h>

/*
 * Text or the value of an attribute in quotes of either kind. '?' stands for control
 * characters, what is no UTF-8 or may not be in an XML document, and characters that turn the
 * direction of writing, with which a text reads as another one.
 */
void markup_put(FILE *out, const char *text);

#endif
