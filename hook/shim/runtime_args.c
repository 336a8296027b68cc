/* SPDX-License-Identifier: Apache-2.0 */

#include "hook/shim/runtime_args.h"

#include <stddef.h>
#include <string.h>

#include "core/base/text.h"

/* crun (argp): joined letters ("-dp FILE"), abbreviations, options only before the first operand.
 * runc (Go's flags): one dash or two, whole names, and, except for exec, options behind the id
 * (urfave/cli, reorderArgs); after 1.5 also global ones behind the command (urfave/cli v3,
 * command_parse.go). */
#define BOTH (CRUN | RUNC)
#define CREATE RUNTIME_CREATE
#define EXEC RUNTIME_EXEC

/* commands: 0 if global */
struct option {
	const char *name;
	char letter;
	unsigned runtimes;
	unsigned commands;
	size_t place; /* or NOWHERE */
};

#define NOWHERE 0
#define AT(field) offsetof(struct runtime_args, field)

/* crun 1.29 (src/crun.c, create.c, run.c, restore.c, exec.c, delete.c), runc 1.5 (main.go, same
 * names). An abbreviation means its first match: crun 1.8's come first, and console-socket before
 * config, which restore lacks. */
static const struct option options[] = {
	{"root", 0, BOTH, 0, AT(root)},
	{"log", 0, BOTH, 0, AT(log)},
	{"log-format", 0, BOTH, 0, AT(log_format)},
	{"log-level", 0, CRUN, 0, NOWHERE},
	{"cgroup-manager", 0, CRUN, 0, NOWHERE},
	{"rootless", 0, BOTH, 0, NOWHERE},
	{"criu", 0, RUNC, 0, NOWHERE},
	{"bundle", 'b', BOTH, CREATE, AT(bundle)},
	{"console-socket", 0, BOTH, CREATE | EXEC, NOWHERE},
	{"config", 'f', CRUN, CREATE, AT(config)},
	{"pid-file", 0, BOTH, CREATE | EXEC, NOWHERE},
	{"preserve-fds", 0, BOTH, CREATE | EXEC, NOWHERE},
	{"image-path", 0, BOTH, CREATE, NOWHERE},
	{"work-path", 0, BOTH, CREATE, NOWHERE},
	{"manage-cgroups-mode", 0, BOTH, CREATE, NOWHERE},
	{"network-lock", 0, CRUN, CREATE, NOWHERE},
	{"lsm-profile", 0, BOTH, CREATE, NOWHERE},
	{"lsm-mount-context", 0, BOTH, CREATE, NOWHERE},
	{"empty-ns", 0, RUNC, CREATE, NOWHERE},
	{"pidfd-socket", 0, RUNC, CREATE | EXEC, NOWHERE},
	{"tty", 't', CRUN, EXEC, NOWHERE},
	{"process", 'p', BOTH, EXEC, AT(process)},
	{"cwd", 0, BOTH, EXEC, NOWHERE},
	{"cgroup", 0, BOTH, EXEC, NOWHERE},
	{"user", 'u', BOTH, EXEC, NOWHERE},
	{"env", 'e', BOTH, EXEC, NOWHERE},
	{"cap", 'c', BOTH, EXEC, NOWHERE},
	{"process-label", 0, BOTH, EXEC, NOWHERE},
	{"apparmor", 0, BOTH, EXEC, NOWHERE},
	{"additional-gids", 'g', RUNC, EXEC, NOWHERE},
};

/* Before the command, args->command is RUNTIME_OTHER. */
static bool has_option(const struct runtime_args *args, unsigned runtime,
		       const struct option *option)
{
	bool has_command = option->commands ? option->commands & args->command
					    : args->command == RUNTIME_OTHER || runtime == RUNC;

	return has_command && option->runtimes & runtime;
}

/* by_letter: crun only; runc reads letters as names. */
static const struct option *find_option(const struct runtime_args *args, unsigned runtime,
					bool by_letter, const char *name, size_t len)
{
	const struct option *abbreviated = NULL;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		const struct option *o = &options[i];

		if (!has_option(args, runtime, o))
			continue;
		if ((by_letter || runtime == RUNC) && len == 1 && o->letter == name[0])
			return o;
		if (by_letter || strncmp(o->name, name, len) != 0)
			continue;
		if (o->name[len] == '\0')
			return o;
		if (runtime == CRUN && len > 0 && !abbreviated)
			abbreviated = o;
	}
	return abbreviated;
}

/* Returns the arguments consumed. */
static int accept_value(struct runtime_args *args, const struct option *option, const char *left,
			const char *next)
{
	/* crun's -tVALUE, --tty=VALUE; never "-t VALUE" */
	const char *value = left || option->letter == 't' ? left : next;

	/* Empty: absent for runc; crun rejects it. */
	if (value && option->place)
		*(const char **)((char *)args + option->place) = value[0] ? value : NULL;
	return value && !left ? 2 : 1;
}

static int parse_option(struct runtime_args *args, char *const *argv)
{
	bool is_long = argv[0][1] == '-';
	const char *name = argv[0] + 1 + is_long;
	size_t len = strcspn(name, "=");
	const char *value = name[len] ? name + len + 1 : NULL;
	const struct option *option = NULL;

	if (args->runtimes & RUNC)
		option = find_option(args, RUNC, false, name, len);
	if (!option && args->runtimes & CRUN && is_long)
		option = find_option(args, CRUN, false, name, len);
	/* "-dpFILE". Unknown letters take no value, or crun refuses them. */
	for (; !option && args->runtimes & CRUN && !is_long && *name; name++) {
		option = find_option(args, CRUN, true, name, 1);
		value = name[1] ? name + 1 : NULL;
	}
	return option ? accept_value(args, option, value, argv[1]) : 1;
}

static enum runtime_command command_of(const char *name)
{
	if (strcmp(name, "create") == 0 || strcmp(name, "run") == 0 || strcmp(name, "restore") == 0)
		return RUNTIME_CREATE;
	return strcmp(name, "exec") == 0 ? RUNTIME_EXEC : RUNTIME_OTHER;
}

static bool begins_as_option(const char *arg)
{
	return arg[0] == '-' && arg[1] != '\0';
}

static void read_command(struct runtime_args *args, int argc, char *const *argv)
{
	bool options_end = false;

	for (int i = 0; i < argc;) {
		if (!options_end && strcmp(argv[i], "--") == 0) {
			options_end = true;
			i++;
		} else if (!options_end && begins_as_option(argv[i])) {
			i += parse_option(args, argv + i);
		} else {
			if (!args->id)
				args->id = argv[i];
			/* The rest is the command. */
			if (args->command == RUNTIME_EXEC || !(args->runtimes & RUNC))
				return;
			i++;
		}
	}
}

void runtime_args_parse(const char *runtime, int argc, char *const *argv,
			struct runtime_args *ret_args)
{
	const char *name = text_base_name(runtime);
	struct runtime_args args = {
		/* May pass it on to either. */
		.runtimes = text_is(name, "crun")   ? CRUN
			    : text_is(name, "runc") ? RUNC
						    : BOTH,
	};
	int i = 1;

	while (i < argc && begins_as_option(argv[i]) && strcmp(argv[i], "--") != 0)
		i += parse_option(&args, argv + i);
	i += i < argc && strcmp(argv[i], "--") == 0;
	if (i < argc)
		args.command = command_of(argv[i++]);
	if (args.command != RUNTIME_OTHER)
		read_command(&args, argc - i, argv + i);
	*ret_args = args;
}
