/* SPDX-License-Identifier: Apache-2.0 */
/* The command line. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "admin/admin.h"
#include "admin/removal/removal.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/command_line.h"
#include "hook/hook.h"
#include "hook/shim/shim.h"

static const char usage[] =
	"Usage: oci-rdma-hook [--config FILE] [--sysroot DIR] [--ask] STAGE\n"
	"       oci-rdma-hook [--config FILE] [--sysroot DIR] precreate\n"
	"       oci-rdma-hook [--config FILE] [--sysroot DIR] [--ask] --dry-run [--format FORMAT] "
	"BUNDLE\n"
	"       oci-rdma-hook [--config FILE] [--sysroot DIR] --check-config [FILE...]\n"
	"       oci-rdma-hook [--config FILE] [--sysroot DIR] --crio-handler SHIM [PRINTED]\n"
	"       oci-rdma-hook [--config FILE] [--sysroot DIR] --containerd-handler SHIM PRINTED\n"
	"       oci-rdma-hook [--config FILE] [--sysroot DIR] --check-removal\n"
	"       oci-rdma-hook [--config FILE] [--sysroot DIR] --cdi [FILE]\n"
	"       oci-rdma-hook --lock DESCRIPTOR\n"
	"\n"
	"The hook gives a container that was allocated RDMA devices an unlimited memlock limit\n"
	"and an /etc/nccl.conf that names its HCAs. Container engines run it with a STAGE, which\n"
	"is createRuntime, prestart or poststart; it then reads the state JSON on stdin. With\n"
	"precreate, a stage of podman, it reads config.json on stdin and writes the edited\n"
	"config.json to stdout. Under the name oci-rdma-runtime it is the runtime shim: it takes\n"
	"the command line of crun or runc, and runs that runtime.\n"
	"\n"
	"  --dry-run BUNDLE  print what the hook would do for BUNDLE/config.json, or for the\n"
	"                    container with this id; nothing is changed\n"
	"  --format FORMAT   the output of --dry-run: text (default), json, spec (the edited\n"
	"                    config.json) or nccl (the lines of nccl.conf)\n"
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
	"  --check-removal   name the containers, pods and handlers that still need the runtime\n"
	"                    shim; if there are none, print nothing and exit with 0: the shim\n"
	"                    may be uninstalled\n"
	"  --cdi             print a CDI spec of the node's HCAs, or write it to FILE; only for\n"
	"                    hosts without Kubernetes: podman run --device "
	"oci-rdma-hook.io/hca=all\n"
	"  --lock DESCRIPTOR take the lock (flock) of a file that the caller has opened, and wait\n"
	"                    until it is free; for the installer's script\n"
	"  --ask             with a stage or --dry-run: treat the container as if it had the\n"
	"                    annotation inject: \"true\"; the hooks in the CDI spec use this "
	"option\n"
	"  --config FILE     the policy file; default DIR/etc/oci-rdma-hook/config.json\n"
	"  --sysroot DIR     read all files of the node below DIR; default /\n"
	"  --version         print the version and exit\n"
	"  -h, --help        print this text and exit\n"
	"\n"
	"Exit status: 0 success (always 0 for a container without RDMA devices), 1 failure,\n"
	"2 wrong command line.\n";

enum task {
	TASK_STAGE,
	TASK_DRY_RUN,
	TASK_CHECK_CONFIG,
	TASK_CRIO_HANDLER,
	TASK_CONTAINERD_HANDLER,
	TASK_CHECK_REMOVAL,
	TASK_CDI,
	TASK_LOCK,
};

struct command {
	struct options options;
	enum task task;
	bool has_format;
	enum dry_run_format format;
	char *const *operands;
	size_t n_operands;
};

static int usage_error(const char *what, const char *which)
{
	return command_line_error(HOOK_NAME, what, which);
}

static bool parse_format(const char *name, enum dry_run_format *ret_format)
{
	static const char *const names[] = {
		[FORMAT_TEXT] = "text",
		[FORMAT_JSON] = "json",
		[FORMAT_SPEC] = "spec",
		[FORMAT_NCCL] = "nccl",
	};
	int place = command_line_choose(names, sizeof(names) / sizeof(names[0]), name);

	*ret_format = place < 0 ? FORMAT_TEXT : (enum dry_run_format)place;
	return place >= 0;
}

/* What a task takes: operands, and what the first is called where it is missing */
static const struct {
	const char *first;
	size_t min;
	size_t max;
} operands[] = {
	[TASK_STAGE] = {"stage", 1, 1},
	[TASK_DRY_RUN] = {"BUNDLE", 1, 1},
	[TASK_CHECK_CONFIG] = {"FILE", 0, SIZE_MAX},
	[TASK_CRIO_HANDLER] = {"SHIM", 1, 2},
	[TASK_CONTAINERD_HANDLER] = {"SHIM and PRINTED", 2, 2},
	[TASK_CHECK_REMOVAL] = {NULL, 0, 0},
	[TASK_CDI] = {NULL, 0, 1},
	[TASK_LOCK] = {"DESCRIPTOR", 1, 1},
};

/* Returns -1 to go on, or the exit status. */
static int check_operands(const struct command *command)
{
	size_t n = command->n_operands;

	if (command->has_format && command->task != TASK_DRY_RUN)
		return usage_error("--format can only be used with --dry-run", NULL);
	if (command->options.ask && command->task != TASK_STAGE && command->task != TASK_DRY_RUN)
		return usage_error("--ask can only be used with a stage or --dry-run", NULL);
	if (n < operands[command->task].min)
		return usage_error("missing operand", operands[command->task].first);
	if (n > operands[command->task].max)
		return usage_error("unexpected operand",
				   command->operands[operands[command->task].max]);
	return -1;
}

enum option_code {
	OPTION_FORMAT = OPTION_OWN,
	OPTION_ASK,
	OPTION_TASK, /* and behind it, one for each enum task */
};

/* Returns -1 to go on, or the exit status. */
static int take_task(struct command *command, enum task task)
{
	if (command->task != TASK_STAGE && command->task != task)
		return usage_error(
			"only one of --dry-run, --check-config, --crio-handler, "
			"--containerd-handler, --check-removal, --cdi and --lock can be used",
			NULL);
	command->task = task;
	return -1;
}

static int take(void *context, int option, char *value)
{
	struct command *command = context;

	if (option >= OPTION_TASK)
		return take_task(command, (enum task)(option - OPTION_TASK));
	if (option == OPTION_ASK) {
		command->options.ask = true;
		return -1;
	}
	command->has_format = true;
	return parse_format(value, &command->format) ? -1 : usage_error("unknown format", value);
}

static const struct option long_options[] = {
	{"dry-run", no_argument, NULL, OPTION_TASK + TASK_DRY_RUN},
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"check-config", no_argument, NULL, OPTION_TASK + TASK_CHECK_CONFIG},
	{"crio-handler", no_argument, NULL, OPTION_TASK + TASK_CRIO_HANDLER},
	{"containerd-handler", no_argument, NULL, OPTION_TASK + TASK_CONTAINERD_HANDLER},
	{"check-removal", no_argument, NULL, OPTION_TASK + TASK_CHECK_REMOVAL},
	{"cdi", no_argument, NULL, OPTION_TASK + TASK_CDI},
	{"lock", no_argument, NULL, OPTION_TASK + TASK_LOCK},
	{"ask", no_argument, NULL, OPTION_ASK},
	COMMON_OPTIONS,
	{0},
};

static const struct program program = {HOOK_NAME, usage, long_options, take};

/* Returns -1 to go on with *ret_command, or the exit status. */
static int parse(int argc, char **argv, struct command *ret_command)
{
	struct command command = {.options = {.sysroot = "/"}};
	int status = command_line_read(&program, argc, argv, &command.options, &command);

	if (status >= 0)
		return status;
	command.operands = argv + optind;
	command.n_operands = (size_t)(argc - optind);
	*ret_command = command;
	return check_operands(&command);
}

static int run_stage(const struct options *options, const char *name)
{
	static const struct {
		const char *name;
		enum stage stage;
	} stages[] = {
		{"createRuntime", STAGE_CREATE_RUNTIME},
		{"prestart", STAGE_PRESTART},
		{"poststart", STAGE_POSTSTART},
	};

	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
		if (strcmp(stages[i].name, name) == 0)
			return stage_run(options, stages[i].stage);
	}
	if (strcmp(name, "precreate") == 0)
		return precreate_run(options);
	return usage_error("unknown stage", name);
}

static int run_task(const struct command *command)
{
	const struct options *options = &command->options;
	char *const *operand = command->operands;

	switch (command->task) {
	case TASK_DRY_RUN:
		return dry_run(options, command->format, operand[0]);
	case TASK_CHECK_CONFIG:
		return check_config(options, operand, command->n_operands);
	case TASK_CRIO_HANDLER:
		return crio_handler(options, operand[0],
				    command->n_operands > 1 ? operand[1] : NULL);
	case TASK_CONTAINERD_HANDLER:
		return containerd_handler(options, operand[0], operand[1]);
	case TASK_CHECK_REMOVAL:
		return removal_check(options);
	case TASK_CDI:
		return cdi(options, command->n_operands ? operand[0] : NULL);
	case TASK_LOCK:
		return lock_descriptor(operand[0]);
	case TASK_STAGE:
		break;
	}
	return run_stage(options, operand[0]);
}

int main(int argc, char **argv)
{
	struct command command;
	int status;

	fs_open_standard_streams();
	if (argc > 0 && names_shim(argv[0]))
		return shim_run(argc, argv);
	/* A MachineConfig can neither link (the operator refuses changed links) nor carry us twice:
	 * its oci-rdma-runtime-crun is a script with us as interpreter, which execve(2) puts in
	 * front. */
	if (argc > 1 && names_shim(argv[1]))
		return shim_run(argc - 1, argv + 1);
	status = parse(argc, argv, &command);
	if (status >= 0)
		return status;
	return run_task(&command);
}
