/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/doctor_options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/command_line.h"

static const char usage[] =
	"Usage: oci-rdma-doctor [--pid PID | --container ID] [--format FORMAT]\n"
	"       oci-rdma-doctor --verbs [--device NAME]\n"
	"       oci-rdma-doctor --verbs --listen [ADDRESS] | --connect HOST\n"
	"                       [--port NUMBER] [--device NAME]\n"
	"       oci-rdma-doctor --topology [--pid PID | --container ID] [--format FORMAT]\n"
	"       oci-rdma-doctor --symptom [FILE | TEXT] [--pid PID | --container ID]\n"
	"       oci-rdma-doctor --compare [--pairs[=all]] FILE… [--format text | json]\n"
	"       oci-rdma-doctor --pairs[=all] POD…\n"
	"\n"
	"Finds out why RDMA or NCCL does not work on a node or in a container. Each\n"
	"finding is ok, warn, fail or not checkable, and states the value, where it was\n"
	"read, and what to do. Nothing is changed.\n"
	"\n"
	"  --pid PID       check this process instead of the doctor's own\n"
	"  --container ID  check this container of CRI-O, containerd, Docker, podman,\n"
	"                  crun or runc; the beginning of the id is enough\n"
	"  --symptom [FILE | TEXT]\n"
	"                  find the cause in a log or a message of NCCL, UCX, Kubernetes\n"
	"                  or the kernel; in the pod, or with --pid or --container, also\n"
	"                  check that cause; without an argument, or with -, read stdin\n"
	"  --verbs         also test RDMA itself: open the devices, find out how much\n"
	"                  memory can be registered, also of GPUs; the options from here\n"
	"                  to --port imply --verbs\n"
	"  --device NAME   use only this device (mlx5_6) or port (mlx5_6:1)\n"
	"  --listen [ADDRESS]\n"
	"                  wait for one doctor that runs with --connect, transfer data\n"
	"                  with it, and end; if ADDRESS is given, listen only there\n"
	"  --connect HOST  transfer data to and from the doctor that listens on HOST\n"
	"  --port NUMBER   the TCP port for --listen and --connect; default 18516\n"
	"  --libcuda FILE  the library of the CUDA driver, if the doctor does not find it\n"
	"  --topology      show only how far GPUs and HCAs are from each other\n"
	"  --compare FILE…\n"
	"                  print what the reports of a job's pods differ in: each FILE,\n"
	"                  POD.json or POD@NODE.json, is a report of --format json\n"
	"  --pairs[=all]   with --compare: each FILE, POD@PEER.json, is a report of\n"
	"                  --connect or --listen; print which transfers are slow or fail\n"
	"  --pairs[=all] POD…\n"
	"                  print in which rounds these pods transfer data: each with the\n"
	"                  next one, or with all; number, who connects, who listens\n"
	"  --format FORMAT text (default), json, html (one page), or prometheus (for the\n"
	"                  textfile collector of node exporter)\n"
	"  --verbose       with text: also show the evidence of findings that are ok\n"
	"  --config FILE   the policy file of oci-rdma-hook; default\n"
	"                  DIR/etc/oci-rdma-hook/config.json\n"
	"  --sysroot DIR   read all files of the node below DIR; default /\n"
	"  --version       print the version and exit\n"
	"  -h, --help      print this text and exit\n"
	"\n"
	"Exit status: 0 no finding is fail; 1 at least one is, or --connect transferred\n"
	"no data, or --compare found a difference; 2 wrong command line, no such\n"
	"process, container or log, or the report could not be written; 3 --symptom knows\n"
	"no cause of the log's error.\n";

#define NAME "oci-rdma-doctor"

static int wrong_usage(const char *what, const char *which)
{
	return command_line_error(NAME, what, which);
}

/* --symptom without a value; an operand may follow */
static const char from_stdin[] = "-";

static const char *const formats[] = {
	[REPORT_TEXT] = "text",
	[REPORT_JSON] = "json",
	[REPORT_HTML] = "html",
	[REPORT_PROMETHEUS] = "prometheus",
};

/* 0: invalid */
static int64_t parse_number(const char *text, int64_t max)
{
	char *end;
	long long number;

	errno = 0;
	number = strtoll(text, &end, 10);
	return errno == 0 && text[0] >= '0' && text[0] <= '9' && !*end && number <= max ? number
											: 0;
}

enum option_code {
	OPTION_PID = OPTION_OWN,
	OPTION_CONTAINER,
	OPTION_SYMPTOM,
	OPTION_TOPOLOGY,
	OPTION_COMPARE,
	OPTION_PAIRS,
	OPTION_VERBS, /* from here to --port: imply --verbs */
	OPTION_DEVICE,
	OPTION_LISTEN,
	OPTION_CONNECT,
	OPTION_PORT,
	OPTION_LIBCUDA,
	OPTION_FORMAT,
	OPTION_VERBOSE,
};

static const struct option long_options[] = {
	{"pid", required_argument, NULL, OPTION_PID},
	{"container", required_argument, NULL, OPTION_CONTAINER},
	{"symptom", optional_argument, NULL, OPTION_SYMPTOM},
	{"topology", no_argument, NULL, OPTION_TOPOLOGY},
	{"compare", no_argument, NULL, OPTION_COMPARE},
	{"pairs", optional_argument, NULL, OPTION_PAIRS},
	{"verbs", no_argument, NULL, OPTION_VERBS},
	{"device", required_argument, NULL, OPTION_DEVICE},
	{"listen", optional_argument, NULL, OPTION_LISTEN},
	{"connect", required_argument, NULL, OPTION_CONNECT},
	{"port", required_argument, NULL, OPTION_PORT},
	{"libcuda", required_argument, NULL, OPTION_LIBCUDA},
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"verbose", no_argument, NULL, OPTION_VERBOSE},
	COMMON_OPTIONS,
	{0},
};

static int parse_doctor_option(void *context, int option, char *value)
{
	struct doctor_options *options = context;
	int format;

	options->verbs |= option >= OPTION_VERBS && option <= OPTION_PORT;
	options->compare |= option == OPTION_COMPARE;
	options->pairs |= option == OPTION_PAIRS;
	switch (option) {
	case OPTION_PID:
		options->pid = parse_number(value, INT_MAX);
		return options->pid ? -1 : wrong_usage("no process id", value);
	case OPTION_CONTAINER:
		options->container = value;
		break;
	case OPTION_SYMPTOM:
		options->symptom = value ? value : from_stdin;
		break;
	case OPTION_TOPOLOGY:
		options->topology = options->verbose = true;
		break;
	case OPTION_PAIRS:
		options->pairs_all = value && strcmp(value, "all") == 0;
		return !value || options->pairs_all || strcmp(value, "ring") == 0
			       ? -1
			       : wrong_usage("--pairs is ring or all, not", value);
	case OPTION_DEVICE:
		options->device = value;
		break;
	case OPTION_LISTEN:
		options->listen = true;
		options->address = value;
		break;
	case OPTION_CONNECT:
		options->connect = value;
		break;
	case OPTION_PORT:
		options->port = (unsigned)parse_number(value, UINT16_MAX);
		return options->port ? -1 : wrong_usage("no TCP port", value);
	case OPTION_LIBCUDA:
		options->libcuda = value;
		break;
	case OPTION_FORMAT:
		format = command_line_choose(formats, sizeof(formats) / sizeof(formats[0]), value);
		options->format = format < 0 ? REPORT_TEXT : (enum report_format)format;
		return format < 0 ? wrong_usage("unknown format", value) : -1;
	case OPTION_VERBOSE:
		options->verbose = true;
		break;
	default:
		break;
	}
	return -1;
}

static const struct program program = {NAME, usage, long_options, parse_doctor_option};

static int check_together(const struct doctor_options *options)
{
	bool other = options->pid || options->container || options->common.sysroot;

	if (options->pid && options->container)
		return wrong_usage("--pid and --container exclude each other", NULL);
	if (options->listen && options->connect)
		return wrong_usage("--listen and --connect exclude each other", NULL);
	if (options->verbs && other)
		return wrong_usage("--verbs tries it from where it runs: start it in the container",
				   NULL);
	if (options->symptom && options->verbs)
		return wrong_usage("--symptom goes without --verbs", NULL);
	if (options->topology && (options->verbs || options->symptom))
		return wrong_usage("--topology goes with no other question", NULL);
	if ((options->compare || options->pairs) &&
	    (other || options->verbs || options->symptom || options->topology))
		return wrong_usage("--compare goes with --pairs and --format alone", NULL);
	if (options->compare && !options->n_operands)
		return wrong_usage("--compare needs the files of reports", NULL);
	if (options->pairs && !options->n_operands)
		return wrong_usage("--pairs needs the names of pods", NULL);
	if (options->compare && options->format != REPORT_TEXT && options->format != REPORT_JSON)
		return wrong_usage("--compare prints text or json", NULL);
	return -1;
}

int doctor_options_parse(int argc, char **argv, struct doctor_options *ret_options)
{
	struct doctor_options options = {0};
	int status = command_line_read(&program, argc, argv, &options.common, &options);

	if (status >= 0)
		return status;
	if (options.symptom == from_stdin && optind < argc)
		options.symptom = argv[optind++];
	/* getopt joins optional arguments only by '=': also accept a separate one. */
	if (optind < argc && options.listen && !options.address)
		options.address = argv[optind++];
	if (options.compare || options.pairs) {
		options.operands = argv + optind;
		options.n_operands = (size_t)(argc - optind);
	} else if (optind < argc) {
		return wrong_usage("unexpected operand", argv[optind]);
	}
	status = check_together(&options);
	if (status >= 0)
		return status;
	if (!options.common.sysroot)
		options.common.sysroot = "/";
	*ret_options = options;
	return -1;
}
