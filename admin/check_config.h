/* SPDX-License-Identifier: Apache-2.0 */
/* --check-config: what the installers ask before they switch a hook on. */
#ifndef OCI_RDMA_CHECK_CONFIG_H
#define OCI_RDMA_CHECK_CONFIG_H

#include <stddef.h>

#include "core/options.h"

/*
 * Checks the files, each our config.json or a hooks.d file, as what is in it says; without files
 * the node's config.json, all hooks.d files that engines read and that speak of us, and CRI-O's
 * handlers with the shim. Also whether those that are checked together fit each other. Prints a
 * line for each: "ok" on stdout, or on stderr what is wrong. Changes nothing. Returns the exit
 * status: 0 if all are right, else 1.
 */
int check_config(const struct options *options, char *const *files, size_t n_files);

#endif
