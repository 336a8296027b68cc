/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/shim/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/replace.h"
#include "core/base/tell.h"
#include "core/base/text.h"
#include "core/container.h"
#include "core/deadline.h"
#include "core/plan/memlock.h"
#include "core/policy/choice.h"
#include "core/policy/quantity.h"
#include "core/policy/runtimes.h"
#include "core/report/log.h"
#include "hook/apply/limit.h"
#include "hook/apply/spec_edit.h"
#include "hook/shim/last_choice.h"
#include "hook/shim/real_runtime.h"
#include "hook/shim/record.h"
#include "hook/shim/runtime_args.h"
#include "hook/shim/runtime_state.h"
#include "hook/shim/state_dir.h"

#define WAY_IN "runtime"
#define ANNOTATION "\"oci-rdma-hook.io/inject\""
/* As a shell says it when a command cannot be run */
#define EXIT_NO_RUNTIME 127

struct shim {
	struct options options;
	struct runtime_args args;
	struct container container;
	const char *runtime; /* the real one */
	struct record_key key;
	bool proven; /* the container has a proven device, or may have one and cannot be read */
	struct err err;
};

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

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* ---- whose record it is ---- */

/* What the runtime was told to write by --pid-file. 0: it cannot be read; -1: it says no process */
static pid_t read_pid(const char *pid_file)
{
	char line[32];
	ssize_t len = fs_read_line(AT_FDCWD, pid_file, line, sizeof(line));
	long pid = len > 0 ? strtol(line, NULL, 10) : 0;

	if (len < 0)
		return 0;
	return pid > 1 && pid <= INT_MAX ? (pid_t)pid : -1;
}

/*
 * Without a pid file, by hand, the runtime is asked whose the id is. 0: it does not say; -1:
 * nobody's, or another bundle's.
 */
static pid_t ask_pid(struct shim *shim, const struct record *record)
{
	struct state state;
	struct err ignored;
	int status = runtime_state(&shim->container.arena, shim->runtime, record->root,
				   shim->args.id, &state, &ignored);

	if (status < 0)
		return status == RUNTIME_STATE_NONE ? -1 : 0;
	/* crun says "/" for a container with a user namespace and devices. */
	if (strcmp(state.bundle, "/") != 0 && !fs_same_directory(state.bundle, record->bundle))
		return -1;
	return state.pid > 1 && state.pid <= INT_MAX ? (pid_t)state.pid : -1;
}

/* An id can be used again for a container that was created past us. */
static bool is_of_this_container(struct shim *shim, const struct record *record)
{
	pid_t pid = record->pid_file[0] ? read_pid(record->pid_file) : ask_pid(shim, record);

	return pid >= 0 && record_is_current(record, pid);
}

/* True if the recorded container's process is known to run. The runtime is asked rather than that a
 * record of one that runs is lost. */
static bool runs(struct shim *shim, const struct record *record)
{
	pid_t pid = record->pid_file[0] ? read_pid(record->pid_file) : 0;

	if (pid == 0)
		pid = ask_pid(shim, record);
	return pid > 0 && record_is_current(record, pid);
}

/* ---- create, run, restore ---- */

/* The edited text in place of the file that fd is open on; st: that file's */
static int rewrite(int dir, int fd, const char *name, const char *what, const struct fs_text *text,
		   bool sync, const struct stat *st, struct err *err)
{
	return replace_file(dir,
			    &(struct replacement){
				    .name = name,
				    .bytes = text->bytes,
				    .len = text->len,
				    .uid = st->st_uid,
				    .gid = st->st_gid,
				    .mode = st->st_mode & 07777U,
				    .attributes = fd,
				    .sync = sync,
			    },
			    what, err);
}

/*
 * From where a relative --pid-file is meant: crun goes to the bundle first (src/create.c), runc
 * does not (utils_linux.go, revisePidFile). NULL: nobody knows, so that the runtime is to be asked.
 */
static const char *pid_file_base(const struct shim *shim, const char *bundle, char *here,
				 size_t size)
{
	if (shim->args.runtimes == RUNTIME_CRUN)
		return bundle;
	return shim->args.runtimes == RUNTIME_RUNC ? getcwd(here, size) : NULL;
}

/* A path that exec may come to from another directory; "" if there is none; NULL without memory */
static const char *pid_file_path(struct shim *shim, const char *bundle)
{
	static char here[PATH_MAX];
	const char *path = or_empty(shim->args.pid_file);
	const char *base;

	if (!path[0] || path[0] == '/')
		return path;
	base = pid_file_base(shim, bundle, here, sizeof(here));
	return base ? arena_printf(&shim->container.arena, "%s/%s", base, path) : "";
}

/* Where a container's spec was found: --bundle, and config.json or what --config says */
struct place {
	int bundle;
	int dir;
	const char *name;
};

/* The record, but for which file config.json is */
static int make_record(struct shim *shim, const struct place *place, const struct grant *grant,
		       struct record *ret_record, struct err *err)
{
	static char bundle[PATH_MAX];
	static char path[PATH_MAX];
	struct arena *arena = &shim->container.arena;
	int status = (int)fs_path_of(place->bundle, bundle, sizeof(bundle));

	if (status >= 0)
		status = (int)fs_path_of(place->dir, path, sizeof(path));
	if (status < 0)
		return err_sys(err, -status, "%s", shim->container.what);
	*ret_record = (struct record){
		.bundle = bundle,
		.config = arena_printf(arena, "%s/%s", path, place->name),
		.root = or_empty(shim->args.root),
		.pid_file = pid_file_path(shim, bundle),
		.grant = *grant,
	};
	return ret_record->config && ret_record->pid_file ? 0 : err_memory(err);
}

static bool is_file(const struct place *place, const struct stat *st)
{
	struct stat now;

	return fstatat(place->dir, place->name, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
	       now.st_dev == st->st_dev && now.st_ino == st->st_ino;
}

/* Two creates of one bundle at once grant the same: whose file remains, the record is to name. */
#define SAVES_MAX 8

static int save_record(struct shim *shim, const struct place *place, const struct grant *grant,
		       struct err *err)
{
	struct record record;
	struct stat st;
	int saves = 0;

	if (make_record(shim, place, grant, &record, err) < 0)
		return -1;
	do {
		int status = 0;

		if (fstatat(place->dir, place->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			status = -errno;
		if (status == 0)
			status = record_identify(&st, &record);
		if (status < 0)
			return err_sys(err, -status, "%s", shim->container.what);
		if (record_save(shim->container.config.state_dir, &shim->key, &record, err) < 0)
			return -1;
	} while (!is_file(place, &st) && ++saves < SAVES_MAX);
	return 0;
}

/*
 * The state directory comes first: what cannot be recorded is not to be half granted where the
 * config says to fail. Under "warn" the container gets what it can: the grant, but not for its
 * execs.
 */
static int grant_bundle(struct shim *shim, const struct place *place, struct err *err)
{
	struct container *container = &shim->container;
	bool strict = container->config.fail_on_error;
	struct grant grant = grant_of_plan(&container->plan);
	struct applied applied = {
		.capabilities = true,
		.nccl = plan_has_new_settings(&container->plan) ? "env" : NULL,
	};
	struct fs_text edited;
	struct stat st;
	bool changed;
	int status;

	if (limit_grant(container, &grant, WAY_IN, err) < 0 ||
	    spec_edit(&container->arena, &container->text, &container->spec, &grant, &edited, err) <
		    0 ||
	    (strict && record_prepare(container->config.state_dir, err) < 0))
		return -1;
	if (fstat(container->fd, &st) < 0)
		return err_sys(err, errno, "%s", container->what);
	/* Nothing to add: another shim in front of us has done it, and has said so. */
	changed = edited.bytes != container->text.bytes;
	if (changed && rewrite(place->dir, container->fd, place->name, container->what, &edited,
			       true, &st, err) < 0)
		return -1;
	status = save_record(shim, place, &grant, err);
	if (changed && (status == 0 || !strict))
		log_grant(container, &applied, WAY_IN);
	return status;
}

/*
 * crun's --config names another file than config.json: a path from the caller's directory on
 * (src/create.c). Returns the descriptor of its directory, and its last component.
 */
static int open_config_dir(struct shim *shim, int bundle, const char **ret_name, struct err *err)
{
	const char *path = shim->args.config ? shim->args.config : "config.json";
	int from = strcmp(path, "config.json") == 0 ? bundle : AT_FDCWD;
	const char *name = text_base_name(path);
	char *dir = arena_strndup(&shim->container.arena, path, (size_t)(name - path));
	int fd;

	if (!dir)
		return err_memory(err);
	fd = openat(from, dir[0] ? dir : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, errno, "%s", path);
	*ret_name = name;
	return fd;
}

/* Returns true if a container of this id runs: the runtime will refuse the new one, and nothing
 * changes. */
static bool id_is_taken(struct shim *shim)
{
	const char *state_dir = shim->container.config.state_dir;
	struct record record;
	struct err ignored;
	bool exists;
	int found = record_load(&shim->container.arena, state_dir, &shim->key, &record, &exists,
				&ignored);

	if (!exists)
		return false;
	if (found == 1 && runs(shim, &record))
		return true;
	/* Whatever an earlier container of that id was granted is over. */
	record_remove(state_dir, &shim->key);
	return false;
}

/*
 * What stops us before the devices are known may stop us on a container that asks and has one. Its
 * text says that, whatever else is wrong with it; it is opened as the runtime will open it, which
 * follows links and knows no openat2.
 */
static bool may_be_ours(struct shim *shim, int dir, const char *name)
{
	struct container *container = &shim->container;
	bool asks = container->has_config && container->config.opt_in == OPT_IN_DEVICE;
	cleanup_fd fd = openat(dir, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct fs_text text = container->text;
	struct stat st;
	struct err ignored;
	bool more;

	if (!text.bytes &&
	    (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	     fs_read_up_to(&container->arena, fd, SPEC_SIZE_MAX, name, &text, &more, &ignored) < 0))
		return false;
	return (asks || memmem(text.bytes, text.len, ANNOTATION, strlen(ANNOTATION))) &&
	       container_names_device(&text);
}

static int serve_create(struct shim *shim, struct err *err)
{
	struct container *container = &shim->container;
	const char *path = shim->args.bundle ? shim->args.bundle : ".";
	cleanup_fd bundle = -1;
	cleanup_fd dir = -1;
	const char *name = NULL;

	if (id_is_taken(shim))
		return 0;
	bundle = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (bundle < 0)
		return err_sys(err, errno, "bundle %s", path);
	container->bundle = bundle;
	dir = open_config_dir(shim, bundle, &name, err);
	if (dir < 0)
		return -1;
	if (container_read_spec(container, dir, path, name, err) < 0 ||
	    container_decide(container, &shim->options, &shim->proven, err) < 0) {
		shim->proven = shim->proven || may_be_ours(shim, dir, name);
		return -1;
	}
	switch (container->plan.decision) {
	case DECISION_NONE:
		log_none(container, container->plan.reason, WAY_IN);
		return 0;
	case DECISION_DENIED:
		deadline_must_fail(container->plan.fail);
		log_denial(container, WAY_IN);
		return 0;
	case DECISION_TCP:
	case DECISION_GRANT:
		return grant_bundle(shim, &(struct place){bundle, dir, name}, err);
	}
	return 0;
}

/* ---- exec ---- */

/*
 * Without --process the runtime makes the process from the container's own spec, which we have
 * edited; but it takes the limit from its caller, as it would have for a spec that lists none.
 */
static int raise_own_memlock(const struct grant *grant, struct err *err)
{
	struct rlimit64 limit;

	if (!grant->memlock)
		return 0;
	if (getrlimit64(RLIMIT_MEMLOCK, &limit) < 0)
		return err_sys(err, errno, "RLIMIT_MEMLOCK");
	if (memlock_raise(&limit, grant->memlock) && setrlimit64(RLIMIT_MEMLOCK, &limit) < 0)
		return err_sys(err, errno, "cannot raise RLIMIT_MEMLOCK (needs CAP_SYS_RESOURCE)");
	return 0;
}

static int grant_process(struct shim *shim, const struct grant *grant, struct err *err)
{
	struct arena *arena = &shim->container.arena;
	const char *path = shim->args.process;
	const char *name = text_base_name(path);
	char *dir_path = arena_strndup(arena, path, (size_t)(name - path));
	cleanup_fd dir = -1;
	cleanup_fd fd = -1;
	struct fs_text text;
	struct fs_text edited;
	struct grant own = *grant;
	struct spec spec;
	struct stat st;

	if (!dir_path)
		return err_memory(err);
	dir = open(dir_path[0] ? dir_path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return err_sys(err, errno, "%s", path);
	fd = fs_open(dir, name, O_RDONLY | O_NOFOLLOW, RESOLVE_BENEATH);
	if (fd < 0)
		return err_sys(err, -fd, "%s", path);
	if (fs_read_regular(arena, fd, SPEC_SIZE_MAX, path, &text, err) < 0 ||
	    spec_parse_process(arena, path, text.bytes, text.len, &spec, err) < 0)
		return -1;
	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", path);
	/* Without limits of its own runc takes the container's, and crun its caller's. */
	if (!spec.places.rlimits.last_end) {
		if (raise_own_memlock(grant, err) < 0)
			return -1;
		own.memlock = 0;
	}
	if (limit_inherit(&own, err) < 0 || spec_edit(arena, &text, &spec, &own, &edited, err) < 0)
		return -1;
	/* Not to the disk: the file lives as long as this exec takes to start. */
	return edited.bytes == text.bytes ? 0
					  : rewrite(dir, fd, name, path, &edited, false, &st, err);
}

static int serve_exec(struct shim *shim, struct err *err)
{
	struct record record;
	/* A record, be it unreadable, says that the container is one of ours. */
	int found = record_load(&shim->container.arena, shim->container.config.state_dir,
				&shim->key, &record, &shim->proven, err);

	if (found <= 0 || !is_of_this_container(shim, &record))
		return found < 0 ? -1 : 0;
	deadline_must_fail(shim->container.config.fail_on_error);
	return shim->args.process ? grant_process(shim, &record.grant, err)
				  : raise_own_memlock(&record.grant, err);
}

/* ---- delete ---- */

/* Without --force the runtime refuses to delete a container that runs: it keeps its record then. */
static int serve_delete(struct shim *shim)
{
	const char *state_dir = shim->container.config.state_dir;
	struct record record;
	struct err ignored;
	bool exists;

	if (shim->args.force ||
	    record_load(&shim->container.arena, state_dir, &shim->key, &record, &exists,
			&ignored) != 1 ||
	    !runs(shim, &record))
		record_remove(state_dir, &shim->key);
	return 0;
}

/* ---- one run ---- */

static int serve(struct shim *shim, struct err *err)
{
	struct container *container = &shim->container;

	if (!shim->args.id)
		return 0;
	container->config.state_dir = state_dir_find(&container->arena, &container->config);
	if (!container->config.state_dir)
		return err_memory(err);
	container->id = shim->args.id;
	shim->key = (struct record_key){shim->args.id, or_empty(shim->args.root), shim->runtime};
	switch (shim->args.command) {
	case RUNTIME_CREATE:
		return serve_create(shim, err);
	case RUNTIME_EXEC:
		return serve_exec(shim, err);
	case RUNTIME_DELETE:
		return serve_delete(shim);
	case RUNTIME_OTHER:
		break;
	}
	return 0;
}

/* True if the container must not start for it. Without a proven device only who has an annotation
 * of ours hears of it. */
static bool must_fail(struct shim *shim, const struct err *err)
{
	if (!shim->proven) {
		log_none(&shim->container, err->text, WAY_IN);
		return false;
	}
	if (!shim->container.config.fail_on_error) {
		log_failure_silently(&shim->container, err, WAY_IN);
		return false;
	}
	log_failure(&shim->container, err, WAY_IN);
	return true;
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
	bool fail;

	deadline_arm(start_unserved);
	fail = serve(shim, &shim->err) < 0 && must_fail(shim, &shim->err);
	deadline_disarm();
	return fail || shim->container.plan.fail;
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
