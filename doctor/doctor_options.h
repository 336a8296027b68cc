/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/options.h"

enum report_format {
	REPORT_TEXT,
	REPORT_JSON,
	REPORT_HTML,
	REPORT_PROMETHEUS,
};

struct doctor_options {
	struct options common;
	int64_t pid; /* 0: none */
	const char *container;
	enum report_format format;
	bool verbose;        /* text: also evidence of ok findings */
	const char *libcuda; /* only this library; NULL: search */
	bool topology;       /* only distances of GPUs and HCAs */
	const char *symptom; /* file of a log, "-": stdin, or a message; NULL: none */

	bool compare;          /* only compare these reports */
	char *const *operands; /* reports, or names for --pairs alone */
	size_t n_operands;
	bool pairs;     /* reports of transfers; without --compare, only print rounds */
	bool pairs_all; /* not just a ring */

	bool verbs; /* try RDMA, with the options below */
	const char *device;
	bool listen;
	const char *address; /* to listen on; NULL: all */
	const char *connect;
	unsigned port;
};

/* Returns -1 to go on, or the exit status. */
int doctor_options_parse(int argc, char **argv, struct doctor_options *ret_options);
