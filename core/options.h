/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for every way in: which node, and which policy. */
#ifndef OCI_RDMA_OPTIONS_H
#define OCI_RDMA_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct options {
	const char *sysroot; /* "/" by default */
	const char *config;  /* NULL: the default below the sysroot */
	bool ask;            /* our arguments ask for the container, as an annotation would */
};

/* Where a run may go to: "/", or NULL where a path of theirs is relative to where it is. */
static inline const char *options_directory(const struct options *options)
{
	return options->sysroot[0] == '/' && (!options->config || options->config[0] == '/') ? "/"
											     : NULL;
}

#endif
