/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime's command line */
#include "tests/unit/unit.h"

#include "hook/caller.h"

/* Started by the runtime; it runs until the test has read the line. */
#define WAIT "echo; read line"

struct started {
	int (*execute)(const void *);
	const void *context;
	int says[2];
	int waits[2];
};

static int execute(const void *context)
{
	const struct started *runtime = context;

	if (dup2(runtime->waits[0], STDIN_FILENO) < 0 || dup2(runtime->says[1], STDOUT_FILENO) < 0)
		return UNIT_NOT_HERE;
	return runtime->execute(runtime->context);
}

/* Returns when the shell runs: until then /proc shows its parent. */
static pid_t start_shell(int (*body)(const void *), const void *context)
{
	struct started runtime = {.execute = body, .context = context};
	pid_t pid;
	char byte;

	assert_int_equal(pipe(runtime.says), 0);
	assert_int_equal(pipe(runtime.waits), 0);
	pid = unit_start(execute, &runtime);
	(void)close(runtime.says[1]);
	assert_int_equal(read(runtime.says[0], &byte, 1), 1);
	(void)close(runtime.says[0]);
	(void)close(runtime.waits[0]);
	/* The child holds a copy of this end: its read blocks until it is killed. */
	(void)close(runtime.waits[1]);
	return pid;
}

struct command_line {
	const char *name;
	const char *argument[6];
	const char *bundle; /* NULL: names none */
};

static const struct command_line command_lines[] = {
	{"--bundle DIR", {"create", "--bundle", "/b/1", "id"}, "/b/1"},
	{"--bundle=DIR", {"--root=/r", "create", "--bundle=/b/2", "id"}, "/b/2"},
	{"-b DIR", {"create", "-b", "/b/3", "id"}, "/b/3"},
	{"the first counts", {"create", "-b", "/b/4", "--bundle=/b/5"}, "/b/4"},
	{"none", {"create", "id", "--bundles", "/b/6"}, NULL},
	{"nothing behind it", {"create", "--bundle"}, NULL},
};

static int run_command(const void *context)
{
	const struct command_line *row = context;
	const char *argv[10] = {"runtime", "-c", WAIT, NULL};

	for (size_t i = 0; i < LENGTH(row->argument) && row->argument[i]; i++)
		argv[3 + i] = row->argument[i];
	(void)execv("/bin/sh", (char **)argv);
	return UNIT_NOT_HERE;
}

UNIT_ROWS_AS("bundle: ", command_lines)
{
	pid_t shell = start_shell(run_command, row);
	cleanup_arena arena = {0};
	const char *path = caller_bundle(&arena, shell);

	assert_int_equal(path != NULL, row->bundle != NULL);
	if (row->bundle)
		assert_string_equal(path, row->bundle);
	(void)kill(shell, SIGKILL);
	(void)waitpid(shell, NULL, 0);
	assert_null(caller_bundle(&arena, shell));
}

/* comm is "sh" each time: crun re-executes itself from memory under another name. */
static const struct called {
	const char *name;
	const char *argv0;
	bool is_crun;
} calls[] = {
	{"crun by its path", "/usr/bin/crun", true},
	{"crun by its name", "crun", true},
	{"krun", "/usr/bin/krun", true},
	{"runc", "/usr/bin/runc", false},
	{"a directory of that name", "/opt/crun/runc", false},
};

static int run_called(const void *context)
{
	(void)execl("/bin/sh", ((const struct called *)context)->argv0, "-c", WAIT, NULL);
	return UNIT_NOT_HERE;
}

UNIT_ROWS_AS("crun, by its first argument: ", calls)
{
	pid_t shell = start_shell(run_called, row);
	cleanup_arena arena = {0};

	assert_int_equal(caller_is_crun(&arena, shell), row->is_crun);
	(void)kill(shell, SIGKILL);
	(void)waitpid(shell, NULL, 0);
	assert_false(caller_is_crun(&arena, shell));
}

int main(void)
{
	return unit_main("runtime");
}
