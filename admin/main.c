/* SPDX-License-Identifier: Apache-2.0 */

#include <limits.h>

#include "admin/cdi.h"
#include "admin/check_config.h"
#include "admin/check_removal.h"
#include "admin/containerd_handler.h"
#include "admin/crio_handler.h"
#include "admin/leave_runtimes.h"
#include "admin/lock.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/command_line.h"

static const char usage[] =
	"Usage: oci-rdma-admin [--config FILE] [--sysroot DIR] --check-config [FILE...]\n"
	"       oci-rdma-admin [--config FILE] [--sysroot DIR] --crio-handler SHIM [PRINTED]\n"
	"       oci-rdma-admin [--config FILE] [--sysroot DIR] --containerd-handler SHIM PRINTED\n"
	"       oci-rdma-admin [--config FILE] [--sysroot DIR] --check-removal\n"
	"       oci-rdma-admin [--sysroot DIR] --leave-runtimes BINDIR\n"
	"       oci-rdma-admin [--config FILE] [--sysroot DIR] --cdi [FILE]\n"
	"       oci-rdma-admin --lock DESCRIPTOR\n"
	"\n"
	"Checks the installation of oci-rdma-hook on this node, and renders the engines'\n"
	"configuration for it.\n"
	"\n"
	"  --check-config    check each FILE, which is a policy (config.json) or a hooks.d file;\n"
	"                    without FILE, check the policy, the hooks.d files and the handlers\n"
	"                    of this node\n"
	"  --crio-handler    print a CRI-O drop-in with a handler for SHIM, the path of\n"
	"                    oci-rdma-runtime-crun or -runc; CRI-O's settings are read from\n"
	"                    /etc/crio, or from PRINTED, the output of crio status config\n"
	"                    (- for stdin)\n"
	"  --containerd-handler\n"
	"                    print the tables of a handler for SHIM, for containerd's "
	"config.toml;\n"
	"                    containerd's settings are read from PRINTED, the output of\n"
	"                    containerd config dump (- for stdin)\n"
	"  --check-removal   name the engines' configuration files that still run the shim; if\n"
	"                    none does, print nothing and exit with 0: it may be uninstalled,\n"
	"                    also while containers run\n"
	"  --leave-runtimes  for the uninstallers: replace each shim in BINDIR by a link to its\n"
	"                    runtime, for the containers that were created through it, and\n"
	"                    print the tmpfiles.d file that removes the links at the next boot\n"
	"  --cdi             print a CDI spec of the node's HCAs, or write it to FILE; only for\n"
	"                    hosts without Kubernetes: podman run --device "
	"oci-rdma-hook.io/hca=all\n"
	"  --lock DESCRIPTOR take the lock (flock) of a file that the caller has opened, and wait\n"
	"                    until it is free; for the installer's script\n"
	"  --config FILE     the policy file; default DIR/etc/oci-rdma-hook/config.json\n"
	"  --sysroot DIR     read all files of the node below DIR; default /\n"
	"  --version         print the version and exit\n"
	"  -h, --help        print this text and exit\n"
	"\n"
	"Exit status: 0 success, 1 failure, 2 wrong command line.\n";

enum task {
	NO_TASK,
	CHECK_CONFIG = OPTION_OWN,
	CRIO_HANDLER,
	CONTAINERD_HANDLER,
	CHECK_REMOVAL,
	LEAVE_RUNTIMES,
	CDI,
	LOCK,
};

static const struct option long_options[] = {
	{"check-config", no_argument, NULL, CHECK_CONFIG},
	{"crio-handler", no_argument, NULL, CRIO_HANDLER},
	{"containerd-handler", no_argument, NULL, CONTAINERD_HANDLER},
	{"check-removal", no_argument, NULL, CHECK_REMOVAL},
	{"leave-runtimes", no_argument, NULL, LEAVE_RUNTIMES},
	{"cdi", no_argument, NULL, CDI},
	{"lock", no_argument, NULL, LOCK},
	COMMON_OPTIONS,
	{0},
};

struct command {
	struct options options;
	enum task task;
};

// NOLINTNEXTLINE(readability-non-const-parameter): the type of what takes an option
static int parse_task(void *context, int option, char *value)
{
	struct command *command = context;

	(void)value;
	if (command->task && command->task != (enum task)option)
		return command_line_error(ADMIN_NAME,
					  "only one of --check-config, --crio-handler, "
					  "--containerd-handler, --check-removal, "
					  "--leave-runtimes, --cdi and --lock can be used",
					  NULL);
	command->task = (enum task)option;
	return -1;
}

static int run_task(const struct command *command, char *const *operands, int n)
{
	static const struct {
		int min, max; /* what: the missing one */
		const char *what;
	} takes[] = {
		[CHECK_CONFIG - OPTION_OWN] = {0, INT_MAX, NULL},
		[CRIO_HANDLER - OPTION_OWN] = {1, 2, "SHIM"},
		[CONTAINERD_HANDLER - OPTION_OWN] = {2, 2, "SHIM and PRINTED"},
		[CHECK_REMOVAL - OPTION_OWN] = {0, 0, NULL},
		[LEAVE_RUNTIMES - OPTION_OWN] = {1, 1, "BINDIR"},
		[CDI - OPTION_OWN] = {0, 1, NULL},
		[LOCK - OPTION_OWN] = {1, 1, "DESCRIPTOR"},
	};
	const struct options *options = &command->options;
	size_t task = command->task ? command->task - OPTION_OWN : 0;

	if (command->task && n < takes[task].min)
		return command_line_error(ADMIN_NAME, "missing operand", takes[task].what);
	if (command->task && n > takes[task].max)
		return command_line_error(ADMIN_NAME, "unexpected operand",
					  operands[takes[task].max]);
	switch (command->task) {
	case CHECK_CONFIG:
		return check_config(options, operands, (size_t)n);
	case CRIO_HANDLER:
		return crio_handler(options, operands[0], operands[1]);
	case CONTAINERD_HANDLER:
		return containerd_handler(options, operands[0], operands[1]);
	case CHECK_REMOVAL:
		return check_removal(options);
	case LEAVE_RUNTIMES:
		return leave_runtimes(options, operands[0]);
	case CDI:
		return cdi(options, operands[0]);
	case LOCK:
		return lock_descriptor(operands[0]);
	case NO_TASK:
		break;
	}
	return command_line_error(ADMIN_NAME, n ? "unexpected operand" : "missing option",
				  n ? operands[0]
				    : "name what to do: --check-config, --check-removal, "
				      "--crio-handler, --containerd-handler or --cdi");
}

int main(int argc, char **argv)
{
	static const struct program program = {ADMIN_NAME, usage, long_options, parse_task};
	struct command command = {.options = {.sysroot = "/"}};
	int status;

	fs_open_standard_streams();
	status = command_line_read(&program, argc, argv, &command.options, &command);
	return status >= 0 ? status : run_task(&command, argv + optind, argc - optind);
}
