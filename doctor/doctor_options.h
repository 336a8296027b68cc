/* SPDX-License-Identifier: Apache-2.0 */
/* What the doctor is asked, by its command line. */
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
	bool verbose;        /* text: the evidence also of what is well */
	const char *libcuda; /* this library and no other; NULL: looked for */
	bool topology;       /* the distances of GPUs and HCAs alone */
	const char *symptom; /* a message, or "-" for a log on stdin; NULL: none */

	bool compare; /* these reports, and nothing else */
	char *const *reports;
	size_t n_reports;

	bool verbs; /* try it; what follows says how (struct verbs_options) */
	const char *device;
	bool listen;
	const char *address; /* of listen; NULL: all of them */
	const char *connect;
	unsigned port;
};

/* Returns -1 to go on with *ret_options, or the exit status. */
int doctor_options_parse(int argc, char **argv, struct doctor_options *ret_options);
