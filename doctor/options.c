/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"Usage: oci-rdma-doctor [--pid PID | --container ID] [--format FORMAT]\n"
	"\n"
	"Says why RDMA or NCCL does not work here: on a node or in a container. Each\n"
	"finding is ok, warn, fail or not checkable, with the value, where it was read,\n"
	"and what to do.\n"
	"\n"
	"  --pid PID       look at this process instead of ourselves\n"
	"  --container ID  look at this container of CRI-O, podman, crun or runc; the\n"
	"                  beginning of its id will do\n"
	"  --format FORMAT text (default), json, or prometheus (for the textfile\n"
	"                  collector of node exporter)\n"
	"  --verbose       text: show the evidence also of what is well\n"
	"  --config FILE   oci-rdma-hook's policy; default\n"
	"                  DIR/etc/oci-rdma-hook/config.json\n"
	"  --sysroot DIR   read the node below DIR; default /\n"
	"  --version       print the version\n"
	"  --help          print this\n"
	"\n"
	"Exit status: 0 nothing fails, 1 something does, 2 wrong usage, no such target,\n"
	"or the report could not be written.\n";

static int usage_error(const char *what, const char *which)
{
	(void)fprintf(stderr, "oci-rdma-doctor: %s%s%s; see oci-rdma-doctor --help\n", what,
		      which ? ": " : "", which ? which : "");
	return OPTIONS_EXIT_USAGE;
}

static bool parse_format(const char *name, enum report_format *ret_format)
{
	static const char *const names[] = {
		[REPORT_TEXT] = "text",
		[REPORT_JSON] = "json",
		[REPORT_PROMETHEUS] = "prometheus",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], name) == 0) {
			*ret_format = (enum report_format)i;
			return true;
		}
	}
	return false;
}

static bool parse_pid(const char *text, int64_t *ret_pid)
{
	char *end;

	errno = 0;
	*ret_pid = strtoll(text, &end, 10);
	return errno == 0 && end != text && !*end && *ret_pid > 0 && *ret_pid <= INT_MAX;
}

static const struct option long_options[] = {
	{"pid", required_argument, NULL, 'p'},
	{"container", required_argument, NULL, 'C'},
	{"verbose", no_argument, NULL, 'V'},
	{"format", required_argument, NULL, 'f'},
	{"config", required_argument, NULL, 'c'},
	{"sysroot", required_argument, NULL, 's'},
	{"version", no_argument, NULL, 'v'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

/* Returns -1 to go on, or the exit status. */
static int take(int option, char *value, struct doctor_options *options)
{
	switch (option) {
	case 'p':
		return parse_pid(value, &options->pid) ? -1 : usage_error("no process id", value);
	case 'C':
		options->container = value;
		return -1;
	case 'f':
		return parse_format(value, &options->format) ? -1
							     : usage_error("unknown format", value);
	case 'V':
		options->verbose = true;
		return -1;
	case 'c':
		options->config = value;
		return -1;
	case 's':
		options->sysroot = value;
		return -1;
	case 'v':
		(void)puts("oci-rdma-doctor " VERSION);
		return 0;
	case 'h':
		(void)fputs(usage, stdout);
		return 0;
	default:
		return OPTIONS_EXIT_USAGE; /* getopt has said why */
	}
}

int options_parse(int argc, char **argv, struct doctor_options *ret_options)
{
	struct doctor_options options = {.sysroot = "/"};
	int option;

	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		int status = take(option, optarg, &options);

		if (status >= 0)
			return status;
	}
	if (optind < argc)
		return usage_error("unexpected operand", argv[optind]);
	if (options.pid && options.container)
		return usage_error("--pid and --container exclude each other", NULL);
	*ret_options = options;
	return -1;
}
