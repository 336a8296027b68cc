/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/deadline.h"
#include "core/report/log.h"
#include "hook/apply/limit.h"
#include "hook/apply/spec_edit.h"
#include "hook/shim/edited.h"
#include "hook/shim/owner.h"
#include "hook/shim/record.h"
#include "hook/shim/serve.h"

#define ANNOTATION "\"" SPEC_ANNOTATION_PREFIX "inject\""

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
	const char *path = shim->args.pid_file ? shim->args.pid_file : "";
	const char *base;

	if (!path[0] || path[0] == '/')
		return path;
	base = pid_file_base(shim, bundle, here, sizeof(here));
	return base ? arena_printf(&shim->container.arena, "%s/%s", base, path) : "";
}

/* Where a container's spec is: config.json in --bundle, or what --config says */
struct place {
	int bundle;
	int dir;          /* the file's directory: the bundle, or another */
	const char *path; /* of that directory, for errors */
	const char *name; /* the file's, in it */
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
		.root = shim->key.root,
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
	bool changed;
	int status;

	if (limit_grant(container, &grant, WAY_IN, err) < 0 ||
	    spec_edit(&container->arena, &container->text, &container->spec, &grant, &edited, err) <
		    0 ||
	    (strict && record_prepare(container->config.state_dir, err) < 0))
		return -1;
	/* Nothing to add: another shim in front of us has done it, and has said so. */
	changed = edited.bytes != container->text.bytes;
	if (changed && edited_write(&(struct edited){place->dir, place->name, container->fd,
						     container->what, .sync = true},
				    &edited, err) < 0)
		return -1;
	status = save_record(shim, place, &grant, err);
	if (changed && (status == 0 || !strict))
		log_grant(container, &applied, WAY_IN);
	return status;
}

/*
 * crun's --config names another file than config.json: a path from the caller's directory on
 * (src/create.c). Sets path and name; returns the descriptor of its directory.
 */
static int open_config_dir(struct shim *shim, struct place *place, struct err *err)
{
	const char *config = shim->args.config;
	const char *name = text_base_name(config);
	int fd;

	place->name = name;
	place->path = name == config ? "."
				     : arena_strndup(&shim->container.arena, config,
						     (size_t)(name - config) - 1);
	if (!place->path)
		return err_memory(err);
	fd = open(place->path[0] ? place->path : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? err_sys(err, errno, "%s", config) : fd;
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
	if (found == 1 && owner_runs(shim, &record))
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

static int serve_spec(struct shim *shim, const struct place *place, struct err *err)
{
	struct container *container = &shim->container;

	if (container_read_spec(container, place->dir, place->path, place->name, err) < 0 ||
	    container_decide(container, &shim->options, &shim->proven, err) < 0) {
		shim->proven = shim->proven || may_be_ours(shim, place->dir, place->name);
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
		return grant_bundle(shim, place, err);
	}
	return 0;
}

int serve_create(struct shim *shim, struct err *err)
{
	const char *path = shim->args.bundle ? shim->args.bundle : ".";
	struct place place = {.path = path, .name = "config.json"};
	cleanup_fd bundle = -1;
	cleanup_fd other = -1;

	if (id_is_taken(shim))
		return 0;
	bundle = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (bundle < 0)
		return err_sys(err, errno, "bundle %s", path);
	shim->container.bundle = bundle;
	place.bundle = bundle;
	place.dir = bundle;
	if (shim->args.config && strcmp(shim->args.config, place.name) != 0) {
		other = open_config_dir(shim, &place, err);
		if (other < 0)
			return -1;
		place.dir = other;
	}
	return serve_spec(shim, &place, err);
}
