/* SPDX-License-Identifier: Apache-2.0 */
/* --crio-handler: the drop-in that gives CRI-O a handler with the shim, made for this node. */
#ifndef OCI_RDMA_CRIO_HANDLER_H
#define OCI_RDMA_CRIO_HANDLER_H

#include "core/options.h"

/*
 * Prints it on stdout: the table of CRI-O's own handler for the runtime that shim ends in, with
 * shim as its runtime_path. printed: what `crio status config` printed, "-" for stdin; NULL for the
 * node's files. Prints nothing where CRI-O would not start with it, or its pods could not, but on
 * stderr why. Returns the exit status.
 */
int crio_handler(const struct options *options, const char *shim, const char *printed);

#endif
