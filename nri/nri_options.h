/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin's command line */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/options.h"

struct nri_options {
	struct options node;
	const char *socket;   /* NULL: NRI_SOCKET below the sysroot */
	const char *metrics;  /* file for a Prometheus collector; NULL: none */
	const char *instance; /* one of several on a node, by its status file; NULL: the only one */
	uint16_t port;        /* where only that file is served; 0: it is not */
	bool check;
	bool alive; /* the exit status says no more than that the plugin works */
};

/* Returns -1 to go on with *ret_options, or the exit status. */
int nri_options_parse(int argc, char **argv, struct nri_options *ret_options);

/* The socket's path. Returns 0, or -1 where it is too long for a socket. */
int nri_options_socket(const struct nri_options *options, char *path, size_t size);
