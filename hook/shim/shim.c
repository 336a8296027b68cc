/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/shim/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/tell.h"
#include "core/base/text.h"
#include "core/container/container.h"
#include "core/deadline.h"
#include "core/policy/policy.h"

/* ---- the last choice of runtimes and state_dir ---- */

/* Returns where it ends, or NULL where it does not fit. Printing takes ten times as long, and each
 * start of a runtime passes here. */
static char *put(char *at, const char *end, const char *line)
{
	size_t len = strlen(line);

	if (!at || (size_t)(end - at) < len + 1)
		return NULL;
	memcpy(at, line, len + 1);
	return at + len;
}

/* One link for each config that shims on this node are told to read. False if that is too long. */
static bool link_path(const struct options *options, char *path, size_t size)
{
	uint64_t hash = text_hash(options->config ? options->config : "/" CONFIG_PATH);
	char digits[17] = "";
	char *at = put(path, path + size, options->sysroot);

	for (int i = 0; i < 16; i++)
		digits[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
	at = put(at, path + size, "/run/oci-rdma-hook.");
	return put(at, path + size, digits) != NULL;
}

/* state_dir and the runtimes, a line each: none of them holds a line break. False if it is too long
 * for a link. */
static bool describe(const struct config *config, char *text, size_t size)
{
	const char *end = text + size;
	char *at = put(text, end, config->state_dir);

	for (size_t i = 0; i < config->n_runtimes; i++)
		at = put(put(at, end, "\n"), end, config->runtimes[i]);
	return at != NULL;
}

void last_choice_save(const struct options *options, const struct config *config)
{
	static char text[PATH_MAX];
	static char present[PATH_MAX];
	static char path[PATH_MAX];
	static char temporary[PATH_MAX + 16];

	if (!link_path(options, path, sizeof(path)) || !describe(config, text, sizeof(text)) ||
	    (fs_read_link(AT_FDCWD, path, present, sizeof(present)) >= 0 &&
	     strcmp(text, present) == 0))
		return;
	(void)snprintf(temporary, sizeof(temporary), "%s.%d", path, getpid());
	if (symlink(text, temporary) == 0 && rename(temporary, path) < 0)
		(void)unlink(temporary);
}

/* Where others may write, they may have made it. */
static bool is_ours(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode) &&
	       (st.st_uid == 0 || st.st_uid == geteuid());
}

static size_t lines(const char *text)
{
	size_t n = 1;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

int last_choice_load(struct arena *arena, const struct options *options, struct config *config)
{
	static char text[PATH_MAX];
	static char path[PATH_MAX];
	const char **runtimes;
	size_t n = 0;
	char *rest;

	if (!link_path(options, path, sizeof(path)) || !is_ours(path) ||
	    fs_read_link(AT_FDCWD, path, text, sizeof(text)) < 0)
		return -1;
	rest = arena_strdup(arena, text);
	runtimes = arena_alloc(arena, lines(text) * sizeof(*runtimes));
	if (!rest || !runtimes)
		return -1;
	config->state_dir = strsep(&rest, "\n");
	while (rest)
		runtimes[n++] = strsep(&rest, "\n");
	config->runtimes = runtimes;
	config->n_runtimes = n;
	return 0;
}

/* ---- one run ---- */

#define ROUNDS_MAX 4

static bool is_ourselves(const struct stat *st)
{
	struct stat own;

	return stat("/proc/self/exe", &own) == 0 && own.st_dev == st->st_dev &&
	       own.st_ino == st->st_ino;
}

/*
 * Any runtime may lead back to the shim, for ever: NVIDIA's picks one by a list of its own, and
 * what is called crun may be a wrapper, compiled as well. Only a count that all of them are handed,
 * in the environment, survives that. Returns -1 when it says that we go round in circles.
 */
static int real_runtime_count_round(void)
{
	const char *before = getenv(SHIM_ROUNDS);
	char rounds[2] = "1";

	if (before && (strlen(before) != 1 || before[0] < '1' || before[0] >= '0' + ROUNDS_MAX))
		return -1;
	if (before)
		rounds[0] = (char)(before[0] + 1);
	/* It fails for want of memory alone: a round that is not counted is one more at worst. */
	(void)setenv(SHIM_ROUNDS, rounds, 1);
	return 0;
}

static bool can_run(void *context, const char *path)
{
	struct stat st;

	(void)context;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0 &&
	       !is_ourselves(&st);
}

/*
 * The first of the config's list that can be run and is not the shim itself; called as
 * oci-rdma-runtime-crun, the first crun of the list, else an installed one. In the arena or the
 * config; NULL if there is none.
 */
static const char *real_runtime_find(struct arena *arena, const struct config *config,
				     const char *called)
{
	return runtimes_find(arena, config, called, can_run, NULL);
}

/* As a shell says it when a command cannot be run */
#define EXIT_NO_RUNTIME 127

/* What the deadline's handler needs; set before it is armed */
static struct {
	const char *runtime;
	char **argv;
} late;

/* A node that is stuck in /sys must not keep the container from starting. */
static void start_unserved(void)
{
	(void)execv(late.runtime, late.argv);
	_exit(EXIT_NO_RUNTIME);
}

/* ---- one command ---- */

static void serve(struct shim *shim)
{
	struct container *container = &shim->container;

	if (!shim->args.id)
		return;
	container->config.state_dir = state_dir_find(&container->arena, &container->config);
	if (!container->config.state_dir)
		return; /* without memory; nothing is known of the container */
	container->id = shim->args.id;
	shim->key = (struct record_key){
		.id = shim->args.id,
		.root = shim->args.root ? shim->args.root : "",
		.runtime = shim->runtime,
	};
	switch (shim->args.command) {
	case RUNTIME_CREATE:
		serve_create(shim);
		break;
	case RUNTIME_EXEC:
		serve_exec(shim);
		break;
	case RUNTIME_DELETE:
		serve_delete(shim);
		break;
	case RUNTIME_OTHER:
		break;
	}
}

/*
 * Which runtime is run, and where the records are, also for the container that would mend the
 * config: from a config with an error, as far as it says so; else as it was last. Never another
 * runtime, since that knows nothing of the containers that run. Where nothing is remembered, none
 * runs that we have created: /run is of this boot. Then our own name may say which; without it a
 * guess could put runc's containers into crun, or what was to be isolated into either. Who needs
 * more of the config reads it again, and hears of the error.
 */
static int load_config(struct shim *shim, const char *called, struct err *err)
{
	struct container *container = &shim->container;
	struct config *config = &container->config;
	const struct options *options = &shim->options;
	enum choice choice;
	struct err ignored;

	if (container_load_config(container, options, err) == 0) {
		last_choice_save(options, config);
		return 0;
	}
	if (config_defaults(&container->arena, config, &ignored) < 0)
		return -1;
	choice = choice_read(&container->arena, options->sysroot, options->config, config);
	if (choice == CHOICE_SAID)
		last_choice_save(options, config);
	else if (last_choice_load(&container->arena, options, config) < 0 &&
		 choice == CHOICE_UNKNOWN && !runtimes_named(called))
		return err_prefix(err, "it is not known which runtime to run");
	return 0;
}

/* A variable of the engine's environment; set to nothing is not set */
static const char *option(const char *name)
{
	const char *value = getenv(name);

	return value && value[0] ? value : NULL;
}

/* Returns 0, or 1 if the container must not start. */
static int serve_in_time(struct shim *shim)
{
	deadline_arm(start_unserved);
	serve(shim);
	deadline_disarm();
	return shim->outcome.must_fail;
}

/* crun's --log may say what it is; of "syslog:" and "journald:" there is our line in the journal.
 */
static void use_runtime_log(const struct runtime_args *args)
{
	const char *path = args->log;

	if (path && args->runtimes & RUNTIME_CRUN) {
		if (text_starts_with(path, "file:"))
			path += strlen("file:");
		else if (args->runtimes == RUNTIME_CRUN && strchr(path, ':'))
			path = NULL;
	}
	tell_runtime_log(path, args->log_format && strcmp(args->log_format, "json") == 0);
}

static int find_runtime(struct shim *shim, const char *called, struct err *err)
{
	const struct config *config = &shim->container.config;

	shim->runtime = real_runtime_find(&shim->container.arena, config, called);
	if (!shim->runtime)
		return err_set(
			err,
			"none of the runtimes of %s can be run as %s: name one that is installed",
			config->path, called);
	if (real_runtime_count_round() < 0)
		return err_set(err,
			       "the runtime %s leads back to " SHIM_NAME
			       ": name crun or runc in \"runtimes\" of %s",
			       shim->runtime, config->path);
	return 0;
}

/* Returns only where the runtime is not to be started, or cannot be. */
static int run(struct shim *shim, int argc, char **argv)
{
	const char *called = text_base_name(argv[0]);
	const char *sysroot = option("OCI_RDMA_SYSROOT");
	struct err *err = &shim->err;

	shim->options.sysroot = sysroot ? sysroot : "/";
	shim->options.config = option("OCI_RDMA_CONFIG");
	if (load_config(shim, called, err) < 0 || find_runtime(shim, called, err) < 0) {
		runtime_args_parse(called, argc, argv, &shim->args);
		use_runtime_log(&shim->args);
		tell(SHIM_NAME, err->text);
		return EXIT_NO_RUNTIME;
	}
	runtime_args_parse(shim->runtime, argc, argv, &shim->args);
	use_runtime_log(&shim->args);
	argv[0] = (char *)shim->runtime;
	late.runtime = shim->runtime;
	late.argv = argv;
	if (serve_in_time(shim) != 0)
		return 1;
	/* What is still held goes with this program: the arena owns the runtime's path. */
	(void)execv(shim->runtime, argv);
	(void)err_sys(err, errno, "cannot run %s", shim->runtime);
	tell(SHIM_NAME, err->text);
	return EXIT_NO_RUNTIME;
}

int shim_run(int argc, char **argv)
{
	static struct shim shim; /* the engine's limit of the stack may be small */
	int status;

	shim.container = CONTAINER_NONE;
	status = run(&shim, argc, argv);

	container_free(&shim.container);
	return status;
}
