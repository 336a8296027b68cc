/* SPDX-License-Identifier: Apache-2.0 */

#include "nri/nri_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "core/base/names.h"
#include "core/command_line.h"
#include "lib/nri_socket.h"
#include "nri/report.h"

static const char usage[] =
	"Usage: oci-rdma-nri [--socket PATH] [--config FILE] [--sysroot DIR] [--metrics FILE]\n"
	"                    [--instance NAME]\n"
	"       oci-rdma-nri [--socket PATH] [--sysroot DIR] --check | --check-alive\n"
	"       oci-rdma-nri --serve-metrics PORT --metrics FILE\n"
	"\n"
	"An NRI plugin for containerd and CRI-O. It gives a container that was allocated RDMA\n"
	"devices an unlimited memlock limit and environment variables that name its HCAs for\n"
	"NCCL, in the main process and in an exec. It connects to the runtime's socket, and\n"
	"connects again when the connection is lost; the runtime can also start it.\n"
	"\n"
	"  --check         print whether NRI is enabled on this node, which plugins are\n"
	"                  connected and since when, and how many containers they answered for\n"
	"  --check-alive   the same, but the exit status says only whether the plugin works,\n"
	"                  connected or not; for a liveness probe\n"
	"  --socket PATH   the runtime's socket; default DIR/var/run/nri/nri.sock\n"
	"  --config FILE   the policy file; default DIR/etc/oci-rdma-hook/config.json\n"
	"  --sysroot DIR   read all files of the node below DIR; default /\n"
	"  --metrics FILE  write counters to FILE, for the textfile collector of node exporter\n"
	"  --instance NAME write the status to /run/oci-rdma-hook/nri-NAME.json instead of\n"
	"                  nri.json; NAME: up to 16 of a-z, 0-9 and -\n"
	"  --serve-metrics PORT\n"
	"                  only answer HTTP requests for /metrics with FILE; for a separate\n"
	"                  container\n"
	"  --version       print the version and exit\n"
	"  -h, --help      print this text and exit\n"
	"\n"
	"Exit status: 0 ended by SIGTERM or SIGINT, or --check found a connected plugin and a\n"
	"usable policy; 1 failure, or --check found none; 2 wrong command line.\n";

int nri_options_socket(const struct nri_options *options, char *path, size_t size)
{
	const char *sysroot = options->node.sysroot;
	size_t len = strlen(sysroot);
	const char *slash = len && sysroot[len - 1] == '/' ? "" : "/";
	int n = options->socket ? snprintf(path, size, "%s", options->socket)
				: snprintf(path, size, "%s%s" NRI_SOCKET, sysroot, slash);

	return n > 0 && (size_t)n < size ? 0 : -1;
}

enum option_code {
	OPTION_SOCKET = OPTION_OWN,
	OPTION_METRICS,
	OPTION_INSTANCE,
	OPTION_SERVE_METRICS,
	OPTION_CHECK,
	OPTION_CHECK_ALIVE,
};

static const struct option long_options[] = {
	{"socket", required_argument, NULL, OPTION_SOCKET},
	{"metrics", required_argument, NULL, OPTION_METRICS},
	{"instance", required_argument, NULL, OPTION_INSTANCE},
	{"serve-metrics", required_argument, NULL, OPTION_SERVE_METRICS},
	{"check", no_argument, NULL, OPTION_CHECK},
	{"check-alive", no_argument, NULL, OPTION_CHECK_ALIVE},
	COMMON_OPTIONS,
	{0},
};

static int usage_error(const char *what, const char *which)
{
	return command_line_error(NRI_NAME, what, which);
}

static int parse_port(struct nri_options *options, const char *value)
{
	char *end;
	long port = strtol(value, &end, 10);

	if (*value < '0' || *value > '9' || *end || port < 1 || port > UINT16_MAX)
		return usage_error("a port is a number from 1 to 65535", value);
	options->port = (uint16_t)port;
	return -1;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): as struct program has it */
static int take(void *context, int option, char *value)
{
	struct nri_options *options = context;

	if (option == OPTION_SOCKET)
		options->socket = value;
	else if (option == OPTION_METRICS)
		options->metrics = value;
	else if (option == OPTION_INSTANCE)
		options->instance = value;
	else if (option == OPTION_SERVE_METRICS)
		return parse_port(options, value);
	else
		options->check = true;
	options->alive |= option == OPTION_CHECK_ALIVE;
	return -1;
}

static const struct program program = {NRI_NAME, usage, long_options, take};

static bool is_instance(const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return len > 0 && len <= NRI_INSTANCE_MAX && !name[len];
}

static int check_options(const struct nri_options *options, const char *operand)
{
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];

	if (operand)
		return usage_error("unexpected operand", operand);
	if (options->check && options->metrics)
		return usage_error("--check and --metrics cannot be used together",
				   options->metrics);
	if (options->instance && !is_instance(options->instance))
		return usage_error("an instance's name is 1 to 16 of a-z, 0-9 and -",
				   options->instance);
	if (options->instance && (options->check || options->port))
		return usage_error("--instance is for the plugin itself, which serves",
				   options->instance);
	if (options->port && (options->check || !options->metrics))
		return usage_error("--serve-metrics needs --metrics, and no --check",
				   options->metrics);
	if (nri_options_socket(options, path, sizeof(path)) < 0)
		return usage_error("this path is too long for a socket",
				   options->socket ? options->socket : options->node.sysroot);
	return -1;
}

int nri_options_parse(int argc, char **argv, struct nri_options *ret_options)
{
	struct nri_options options = {.node = {.sysroot = "/"}};
	int status = command_line_read(&program, argc, argv, &options.node, &options);

	if (status >= 0)
		return status;
	*ret_options = options;
	return check_options(&options, argv[optind]);
}
