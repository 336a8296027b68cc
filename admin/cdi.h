/* SPDX-License-Identifier: Apache-2.0 */
/* --cdi: the node's HCAs as a CDI spec, for engines on hosts without Kubernetes. */
#ifndef OCI_RDMA_CDI_H
#define OCI_RDMA_CDI_H

#include "core/options.h"

/*
 * A device for each HCA by its ibdev name and by its address, and one of all; with the hooks, whose
 * arguments ask, since choosing a device is asking. Only device files are named, no numbers: the
 * engine looks at these when a container is created.
 *
 * file: is replaced by the spec, at once and whole, or removed where the node has no HCA, of which
 * there is no spec; NULL: printed, and no HCA is an error. Returns the exit status.
 */
int cdi(const struct options *options, const char *file);

#endif
