/* SPDX-License-Identifier: Apache-2.0 */
/* A runtime's command line, an argument a line: all that is found is a part of an argument. */
#include "hook/shim/runtime_args.h"
#include "fuzz.h"

#define ARGUMENTS_MAX 64

static void check_part(char *const *argv, const char *found)
{
	bool part = !found;

	for (int i = 1; argv[i]; i++)
		part = part || (found >= argv[i] && found <= argv[i] + strlen(argv[i]));
	promise(part);
}

static void check(const char *runtime, int argc, char **argv)
{
	static char forged[] = "--process=/forged";
	struct runtime_args args;
	struct runtime_args again;

	runtime_args_parse(runtime, argc, argv, &args);
	check_part(argv, args.id);
	check_part(argv, args.root);
	check_part(argv, args.bundle);
	check_part(argv, args.config);
	check_part(argv, args.process);
	promise(args.command != RUNTIME_OTHER || !args.id);
	/* The command that exec is to run says nothing about the exec itself. */
	if (args.command == RUNTIME_EXEC && args.id && argc < ARGUMENTS_MAX) {
		argv[argc] = forged;
		runtime_args_parse(runtime, argc + 1, argv, &again);
		promise(memcmp(&args, &again, sizeof(args)) == 0);
		argv[argc] = NULL;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_arena arena = {0};
	char *argv[ARGUMENTS_MAX + 1] = {arena_strdup(&arena, "oci-rdma-runtime")};
	int argc = 1;

	while (size && argc < ARGUMENTS_MAX)
		argv[argc++] = (char *)(uintptr_t)fuzz_line(&arena, &data, &size);
	check("/usr/bin/crun", argc, argv);
	check("/usr/sbin/runc", argc, argv);
	check("nvidia-container-runtime", argc, argv);
	return 0;
}
