/* SPDX-License-Identifier: Apache-2.0 */
#include "run/runtime_args.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CREATE (1U << RUNTIME_CREATE)
#define EXEC (1U << RUNTIME_EXEC)
#define DELETE (1U << RUNTIME_DELETE)

/* An option that takes a value (or that we must see), and the commands that have it; 0: a global
 * one */
struct option {
	const char *name;
	char letter;
	unsigned commands;
	bool flag;
	size_t place; /* of a const char * in struct runtime_args; or NOWHERE */
};

#define NOWHERE SIZE_MAX
#define AT(field) offsetof(struct runtime_args, field)

/* crun 1.29 (src/crun.c, create.c, run.c, restore.c, exec.c, delete.c) and runc 1.5 (main.go, the
 * same names) */
static const struct option options[] = {
	{"root", 0, 0, false, AT(root)},
	{"log", 0, 0, false, NOWHERE},
	{"log-format", 0, 0, false, NOWHERE},
	{"log-level", 0, 0, false, NOWHERE},
	{"cgroup-manager", 0, 0, false, NOWHERE},
	{"rootless", 0, 0, false, NOWHERE},
	{"criu", 0, 0, false, NOWHERE},
	{"bundle", 'b', CREATE, false, AT(bundle)},
	{"config", 'f', CREATE, false, AT(config)},
	{"console-socket", 0, CREATE | EXEC, false, NOWHERE},
	{"pidfd-socket", 0, CREATE | EXEC, false, NOWHERE},
	{"pid-file", 0, CREATE | EXEC, false, AT(pid_file)},
	{"preserve-fds", 0, CREATE | EXEC, false, NOWHERE},
	{"image-path", 0, CREATE, false, NOWHERE},
	{"work-path", 0, CREATE, false, NOWHERE},
	{"parent-path", 0, CREATE, false, NOWHERE},
	{"page-server", 0, CREATE, false, NOWHERE},
	{"manage-cgroups-mode", 0, CREATE, false, NOWHERE},
	{"empty-ns", 0, CREATE, false, NOWHERE},
	{"lsm-profile", 0, CREATE, false, NOWHERE},
	{"lsm-mount-context", 0, CREATE, false, NOWHERE},
	{"status-fd", 0, CREATE, false, NOWHERE},
	{"network-lock-method", 0, CREATE, false, NOWHERE},
	{"process", 'p', EXEC, false, AT(process)},
	{"cwd", 0, EXEC, false, NOWHERE},
	{"env", 'e', EXEC, false, NOWHERE},
	{"user", 'u', EXEC, false, NOWHERE},
	{"additional-gids", 'g', EXEC, false, NOWHERE},
	{"process-label", 0, EXEC, false, NOWHERE},
	{"apparmor", 0, EXEC, false, NOWHERE},
	{"cap", 'c', EXEC, false, NOWHERE},
	{"cgroup", 0, EXEC, false, NOWHERE},
	{"force", 'f', DELETE, true, AT(force)},
};

static const struct {
	const char *name;
	enum runtime_command command;
} commands[] = {
	{"create", RUNTIME_CREATE}, {"run", RUNTIME_CREATE},    {"restore", RUNTIME_CREATE},
	{"exec", RUNTIME_EXEC},     {"delete", RUNTIME_DELETE},
};

static bool belongs(const struct option *option, bool global, enum runtime_command command)
{
	return global ? option->commands == 0 : (option->commands & (1U << command)) != 0;
}

/* text: the argument behind its dashes, up to '=' if it has one */
static const struct option *find(const char *text, size_t len, bool global,
				 enum runtime_command command)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		const struct option *o = &options[i];

		if (!belongs(o, global, command))
			continue;
		if (strlen(o->name) == len && memcmp(o->name, text, len) == 0)
			return o;
		if (len == 1 && o->letter == text[0])
			return o;
	}
	return NULL;
}

static void set(struct runtime_args *args, const struct option *option, const char *value)
{
	if (option->place == NOWHERE)
		return;
	if (option->flag)
		*(int *)((char *)args + option->place) = 1;
	else
		*(const char **)((char *)args + option->place) = value;
}

/* Returns how many arguments the option takes: 1, or 2 with a value of its own. */
static int take_option(struct runtime_args *args, char *const *argv, bool global)
{
	const char *text = argv[0] + (argv[0][1] == '-' ? 2 : 1);
	size_t len = strcspn(text, "=");
	const struct option *option = find(text, len, global, args->command);

	/* "-bDIR", which argp also reads */
	if (!option && argv[0][1] != '-' && len > 1) {
		option = find(text, 1, global, args->command);
		if (option && !option->flag)
			set(args, option, text + 1);
		return 1;
	}
	if (!option)
		return 1;
	if (option->flag || text[len] == '=') {
		set(args, option, text + len + (text[len] == '='));
		return 1;
	}
	if (!argv[1])
		return 1;
	set(args, option, argv[1]);
	return 2;
}

static enum runtime_command command_of(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, name) == 0)
			return commands[i].command;
	}
	return RUNTIME_OTHER;
}

static bool is_option(const char *arg)
{
	return arg[0] == '-' && arg[1] != '\0';
}

void runtime_args_parse(int argc, char *const *argv, struct runtime_args *ret_args)
{
	struct runtime_args args = {0};
	bool options_end = false;
	int i = 1;

	while (i < argc && is_option(argv[i]))
		i += take_option(&args, argv + i, true);
	if (i < argc)
		args.command = command_of(argv[i++]);
	while (args.command != RUNTIME_OTHER && i < argc) {
		if (!options_end && strcmp(argv[i], "--") == 0) {
			options_end = true;
			i++;
		} else if (!options_end && is_option(argv[i])) {
			i += take_option(&args, argv + i, false);
		} else {
			if (!args.id)
				args.id = argv[i];
			/* What follows exec's id is the command that it is to run. */
			if (args.command == RUNTIME_EXEC)
				break;
			i++;
		}
	}
	*ret_args = args;
}
