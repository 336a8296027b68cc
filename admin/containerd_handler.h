/* SPDX-License-Identifier: Apache-2.0 */
/* --containerd-handler: the tables that give containerd a handler with the shim, made for this
 * node. */
#ifndef OCI_RDMA_CONTAINERD_HANDLER_H
#define OCI_RDMA_CONTAINERD_HANDLER_H

#include "core/options.h"

/*
 * Prints them on stdout, to be appended to config.toml: all that containerd's own handler for the
 * runtime that shim ends in says otherwise than by default, with shim as its BinaryName and our
 * annotations handed on. printed: what `containerd config dump` printed, "-" for stdin. Prints
 * nothing where its pods could not start, but on stderr why. Returns the exit status.
 */
int containerd_handler(const struct options *options, const char *shim, const char *printed);

#endif
