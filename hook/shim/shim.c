/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/shim/shim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/stderr_line.h"
#include "core/base/text.h"
#include "core/deadline.h"
#include "core/policy/runtimes.h"
#include "hook/shim/commands.h"
#include "hook/shim/runtime_args.h"

#define ROUNDS_MAX 4

static const char *getenv_nonempty(const char *name)
{
	const char *value = getenv(name);

	return value && value[0] ? value : NULL;
}

/* NVIDIA's runtime (own list) or a crun wrapper may lead back to us. Only a count in the
 * environment, which all pass on, shows it. */
static int count_shim_pass(void)
{
	const char *before = getenv_nonempty(SHIM_ROUNDS);
	char rounds[2] = {(char)(before ? before[0] + 1 : '1')};

	if (before && (before[0] < '1' || before[0] >= '0' + ROUNDS_MAX || before[1]))
		return -1;
	/* Without memory a round is not counted. */
	(void)setenv(SHIM_ROUNDS, rounds, 1);
	return 0;
}

static bool can_run(const char *path)
{
	struct stat own;
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0 &&
	       !(stat("/proc/self/exe", &own) == 0 && own.st_dev == st.st_dev &&
		 own.st_ino == st.st_ino);
}

/* as in a shell */
#define EXIT_NO_RUNTIME 127

static char **runtime_argv; /* [0]: the runtime's path; set before deadline_arm() */

/* At the deadline */
static void run_unserved(void)
{
	(void)execv(runtime_argv[0], runtime_argv);
	_exit(EXIT_NO_RUNTIME);
}

/* crun's --log may have a type; "syslog:" and "journald:" have our line already. */
static void use_runtime_log(const struct runtime_args *args)
{
	const char *path = args->log;

	if (path && args->runtimes & CRUN) {
		if (text_starts_with(path, "file:"))
			path += strlen("file:");
		else if (args->runtimes == CRUN && strchr(path, ':'))
			path = NULL;
	}
	stderr_use_runtime_log(path, text_is(args->log_format, "json"));
}

/* Unreadable list: only our own name decides; another runtime would not know the running
 * containers. */
static int find_runtime(struct shim *shim, const char *called, const char **ret_runtime,
			struct err *err)
{
	struct arena *arena = &shim->container.arena;
	cleanup_fd root = tree_open_root(shim->options.sysroot, err);
	struct runtimes runtimes = {0};
	const char **path;

	if ((root < 0 || runtimes_read(arena, root, &runtimes, err) < 0) && !runtimes_named(called))
		return -1;
	path = runtimes_to_try(arena, &runtimes, called);
	if (!path)
		return err_memory(err);
	while (*path && !can_run(*path))
		path++;
	if (!*path)
		return err_set(err,
			       "there is no runtime to run as %s: write the path of one into "
			       "/" RUNTIMES_PATH,
			       called);
	if (count_shim_pass() < 0)
		return err_set(err,
			       "the runtime %s leads back to " SHIM_NAME
			       ": name crun or runc in /" RUNTIMES_PATH,
			       *path);
	*ret_runtime = *path;
	return 0;
}

static bool serve_command(struct shim *shim)
{
	shim->container.id = shim->args.id;
	deadline_arm(run_unserved);
	if (shim->args.id && shim->args.command == RUNTIME_CREATE)
		serve_create(shim);
	else if (shim->args.id && shim->args.command == RUNTIME_EXEC)
		serve_exec(shim);
	deadline_disarm();
	return !shim->outcome.must_fail;
}

/* Returns only if the runtime must not or cannot start. */
static int run_runtime(struct shim *shim, int argc, char **argv)
{
	const char *called = text_base_name(argv[0]);
	const char *runtime = called;
	struct err *err = &shim->outcome.err;
	bool found = find_runtime(shim, called, &runtime, err) == 0;

	runtime_args_parse(runtime, argc, argv, &shim->args);
	use_runtime_log(&shim->args);
	if (found) {
		argv[0] = (char *)runtime;
		runtime_argv = argv;
		if (!serve_command(shim))
			return 1;
		(void)execv(runtime, argv);
		err_sys(err, errno, "cannot run %s", runtime);
	}
	stderr_line(SHIM_NAME, err->text);
	return EXIT_NO_RUNTIME;
}

int shim_run(int argc, char **argv)
{
	static struct shim shim;
	const char *sysroot = getenv_nonempty("OCI_RDMA_SYSROOT");

	shim.container = CONTAINER_NONE;
	shim.outcome.entry_point = "runtime";
	shim.outcome.options = &shim.options;
	shim.options.sysroot = sysroot ? sysroot : "/";
	shim.options.config = getenv_nonempty("OCI_RDMA_CONFIG");
	return run_runtime(&shim, argc, argv);
}
