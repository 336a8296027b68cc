/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/stderr_line.h"
#include "core/command_line.h"
#include "explain/dry_run.h"
#include "hook/precreate.h"
#include "hook/shim/shim.h"
#include "hook/stage.h"

static const char usage[] =
	"Usage: oci-rdma-hook [--config FILE] [--sysroot DIR] [--ask] STAGE\n"
	"       oci-rdma-hook [--config FILE] [--sysroot DIR] precreate\n"
	"       oci-rdma-hook [--config FILE] [--sysroot DIR] [--ask] --dry-run [--format FORMAT] "
	"BUNDLE\n"
	"\n"
	"The hook gives a container that was allocated RDMA devices an unlimited memlock limit\n"
	"and an /etc/nccl.conf that names its HCAs. Container engines run it with a STAGE, which\n"
	"is createRuntime, prestart or poststart; it then reads the state JSON on stdin. With\n"
	"precreate, a stage of podman, it reads config.json on stdin and writes the edited\n"
	"config.json to stdout. Under the name oci-rdma-runtime it is the runtime shim: it takes\n"
	"the command line of crun or runc, and runs that runtime. oci-rdma-admin checks what is\n"
	"installed on a node.\n"
	"\n"
	"  --dry-run BUNDLE  print what the hook would do for BUNDLE/config.json, or for the\n"
	"                    container with this id; nothing is changed\n"
	"  --format FORMAT   the output of --dry-run: text (default), json, spec (the edited\n"
	"                    config.json) or nccl (the lines of nccl.conf)\n"
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

struct command {
	struct options options;
	bool is_dry_run;
	int format; /* enum dry_run_format, or -1 */
};

enum option_code {
	OPTION_DRY_RUN = OPTION_OWN,
	OPTION_FORMAT,
	OPTION_ASK,
};

static const struct option long_options[] = {
	{"dry-run", no_argument, NULL, OPTION_DRY_RUN},
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"ask", no_argument, NULL, OPTION_ASK},
	COMMON_OPTIONS,
	{0},
};

static int parse_hook_option(void *context, int option, char *value)
{
	static const char *const formats[] = {
		[FORMAT_TEXT] = "text",
		[FORMAT_JSON] = "json",
		[FORMAT_SPEC] = "spec",
		[FORMAT_NCCL] = "nccl",
	};
	struct command *command = context;

	if (option == OPTION_FORMAT) {
		command->format = command_line_choose(formats, FORMAT_NCCL + 1, value);
		if (command->format < 0)
			return command_line_error(HOOK_NAME, "unknown format", value);
	}
	command->is_dry_run |= option == OPTION_DRY_RUN;
	command->options.ask |= option == OPTION_ASK;
	return -1;
}

static int run_command(const struct command *command, char *const *operands, int n)
{
	static const char *const stages[] = {"createRuntime", "prestart", "poststart"};

	if (command->format >= 0 && !command->is_dry_run)
		return command_line_error(HOOK_NAME, "--format can only be used with --dry-run",
					  NULL);
	if (n < 1)
		return command_line_error(HOOK_NAME, "missing operand",
					  command->is_dry_run ? "BUNDLE" : "stage");
	if (n > 1)
		return command_line_error(HOOK_NAME, "unexpected operand", operands[1]);
	if (command->is_dry_run)
		return dry_run(&command->options,
			       command->format < 0 ? FORMAT_TEXT
						   : (enum dry_run_format)command->format,
			       operands[0]);
	if (command_line_choose(stages, sizeof(stages) / sizeof(stages[0]), operands[0]) >= 0)
		return stage_run(&command->options, operands[0]);
	if (strcmp(operands[0], "precreate") == 0)
		return precreate_run(&command->options);
	return command_line_error(HOOK_NAME, "unknown stage", operands[0]);
}

int main(int argc, char **argv)
{
	static const struct program program = {HOOK_NAME, usage, long_options, parse_hook_option};
	struct command command = {.options = {.sysroot = "/"}, .format = -1};
	int status;

	fs_open_standard_streams();
	/* A MachineConfig cannot create links: we interpret its script oci-rdma-runtime-crun, whose
	 * path is argv[1]. */
	for (int i = 0; i < argc && i < 2; i++) {
		if (text_starts_with(text_base_name(argv[i]), SHIM_NAME))
			return shim_run(argc - i, argv + i);
	}
	status = command_line_read(&program, argc, argv, &command.options, &command);
	if (status == EXIT_USAGE && argc && strcmp(text_base_name(argv[0]), HOOK_NAME) != 0)
		stderr_line(HOOK_NAME,
			    "the program's name decides what it is: to run as a runtime it has "
			    "to be called " SHIM_NAME ", or " SHIM_NAME "-crun");
	return status >= 0 ? status : run_command(&command, argv + optind, argc - optind);
}
