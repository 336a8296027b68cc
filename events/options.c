/* SPDX-License-Identifier: Apache-2.0 */
#include "events/reporter.h"

#include "core/command_line.h"

#define ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount"

static const char usage[] =
	"Usage: oci-rdma-events [--account DIR] [--sysroot DIR]\n"
	"\n"
	"Tells a pod's author why a container did not get what it asks for. The hook, the\n"
	"runtime shim and the NRI plugin leave records below DIR/run/oci-rdma-hook/refusals.\n"
	"This program reads them in a pod, and posts them as events of the pods that they are\n"
	"about, so that kubectl describe pod shows the reason. It changes nothing on the node.\n"
	"\n"
	"  --account DIR   the service account's token and ca.crt; default\n"
	"                  " ACCOUNT "\n"
	"  --sysroot DIR   read the records below DIR; default /\n"
	"  --version       print the version and exit\n"
	"  -h, --help      print this text and exit\n"
	"\n"
	"Environment: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT name the API server,\n"
	"NODE_NAME is the name that events have for their node; default: the host's name.\n"
	"\n"
	"Exit status: 0 ended by SIGTERM or SIGINT; 1 failure; 2 wrong command line.\n";

enum option_code {
	OPTION_ACCOUNT = OPTION_OWN,
};

static const struct option long_options[] = {
	{"account", required_argument, NULL, OPTION_ACCOUNT},
	COMMON_OPTION("sysroot", required_argument, OPTION_SYSROOT),
	COMMON_OPTION("version", no_argument, OPTION_VERSION),
	COMMON_OPTION("help", no_argument, OPTION_HELP),
	{0},
};

/* NOLINTNEXTLINE(readability-non-const-parameter): as struct program has it */
static int take(void *context, int option, char *value)
{
	struct events_options *options = context;

	if (option == OPTION_ACCOUNT)
		options->account = value;
	return -1;
}

static const struct program program = {EVENTS_NAME, usage, long_options, take};

int events_options_parse(int argc, char **argv, struct events_options *ret_options)
{
	struct events_options options = {.node = {.sysroot = "/"}, .account = ACCOUNT};
	int status = command_line_read(&program, argc, argv, &options.node, &options);

	if (status >= 0)
		return status;
	if (argv[optind])
		return command_line_error(EVENTS_NAME, "unexpected operand", argv[optind]);
	*ret_options = options;
	return -1;
}
