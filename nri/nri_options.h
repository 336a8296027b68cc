/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/options.h"

struct nri_options {
	struct options node;
	const char *socket;   /* NULL: NRI_SOCKET */
	const char *metrics;  /* file, or NULL */
	const char *instance; /* names the status file, or NULL */
	uint16_t port;        /* of --serve-metrics, or 0 */
	bool check;
	bool alive;
};

/* Returns -1 to continue, or the exit status */
int nri_options_parse(int argc, char **argv, struct nri_options *ret_options);

/* -1 if too long for a socket */
int nri_options_socket(const struct nri_options *options, char *path, size_t size);
