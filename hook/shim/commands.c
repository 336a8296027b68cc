/* SPDX-License-Identifier: Apache-2.0 */
/* What the shim does for create, exec and delete (shim.h) */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/apply/spec_edit.h"
#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/deadline.h"
#include "core/outcome.h"
#include "core/plan/plan.h"
#include "core/process/process.h"
#include "hook/shim/shim.h"

/* A config.json or process.json that is replaced by an edited one */
struct edited {
	int dir;          /* the file's directory */
	const char *name; /* its name there */
	int fd;           /* it, as it was read: owner, mode and attributes are taken over */
	const char *what; /* its path, for errors */
	bool sync;        /* to the disk, as what outlives a crash of the node */
};

/* Replaces it at once and whole. Borrows the descriptors. Returns 0, or -1 with the reason. */
static int edited_write(const struct edited *file, const struct fs_text *text, struct err *err)
{
	struct stat st;

	if (fstat(file->fd, &st) < 0)
		return err_sys(err, errno, "%s", file->what);
	return replace_file(file->dir,
			    &(struct replacement){
				    .name = file->name,
				    .bytes = text->bytes,
				    .len = text->len,
				    .uid = st.st_uid,
				    .gid = st.st_gid,
				    .mode = st.st_mode & 07777U,
				    .attributes = file->fd,
				    .sync = file->sync,
			    },
			    file->what, err);
}

/* ---- create: its record ---- */

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

/* The record, except which file config.json is */
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
static int grant_bundle(struct shim *shim, const struct place *place, struct applied *applied,
			struct err *err)
{
	struct container *container = &shim->container;
	struct grant grant = grant_of_plan(&container->plan);
	struct fs_text edited;

	if (limit_inherit(&grant, err) < 0 ||
	    spec_edit(&container->arena, &container->text, &container->spec, &grant, &edited, err) <
		    0 ||
	    (container->config.fail_on_error &&
	     record_prepare(container->config.state_dir, err) < 0))
		return -1;
	*applied = (struct applied){
		.capabilities = true,
		.nccl = plan_has_new_settings(&container->plan) ? "env" : NULL,
	};
	/* Nothing to add: another shim in front of us has done it, and has said so. */
	if (edited.bytes != container->text.bytes) {
		if (edited_write(&(struct edited){place->dir, place->name, container->fd,
						  container->what, .sync = true},
				 &edited, err) < 0)
			return -1;
		applied->changed = true;
	}
	return save_record(shim, place, &grant, err);
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

/* ---- one create ---- */

struct create {
	struct shim *shim;
	struct place place;
	int other; /* the directory of --config; -1: the bundle */
};

static int read_bundle(struct create *create, struct err *err)
{
	struct container *container = &create->shim->container;
	struct place *place = &create->place;
	const char *config = create->shim->args.config;

	container->bundle = open(place->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (container->bundle < 0)
		return err_sys(err, errno, "bundle %s", place->path);
	place->bundle = container->bundle;
	place->dir = container->bundle;
	if (config && strcmp(config, place->name) != 0) {
		create->other = open_config_dir(create->shim, place, err);
		if (create->other < 0)
			return -1;
		place->dir = create->other;
	}
	return container_read_spec(container, place->dir, place->path, place->name, err);
}

void serve_create(struct shim *shim)
{
	static const struct entry_point entry = {.name = WAY_IN};
	struct container *container = &shim->container;
	struct outcome *outcome = &shim->outcome;
	struct err *err = &outcome->err;
	struct create create = {
		.shim = shim,
		.place = {.path = shim->args.bundle ? shim->args.bundle : ".",
			  .name = "config.json"},
		.other = -1,
	};
	int status;

	if (id_is_taken(shim))
		return;
	status = read_bundle(&create, err);
	if (status == 0)
		status = container_find(container, &shim->options, err);
	if (status > 0) {
		deadline_set_must_fail(outcome_if_late(container, &entry));
		container->memlock_max = process_memlock_max();
		container->lacking = process_lacks_capabilities(UINT64_MAX);
		status = container_plan(container, err);
	}
	if (status > 0)
		status = grant_bundle(shim, &create.place, &outcome->applied, err);
	outcome_decide(container, &shim->options, &entry, status, outcome);
	deadline_set_must_fail(outcome->must_fail);
	outcome_log(container, outcome, &entry);
	cleanup_close_fd(&create.other);
	cleanup_close_fd(&container->bundle);
	container->bundle = -1;
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
	/* Without limits of its own runc takes the container's, and crun its caller's. */
	if (!spec.places.rlimits.last_end) {
		if (raise_own_memlock(grant, err) < 0)
			return -1;
		own.memlock = 0;
	}
	if (limit_inherit(&own, err) < 0 ||
	    capabilities_grant(&shim->container, &spec, &own, WAY_IN, err) < 0 ||
	    spec_edit(arena, &text, &spec, &own, &edited, err) < 0)
		return -1;
	/* Not to the disk: the file lives as long as this exec takes to start. */
	if (edited.bytes == text.bytes)
		return 0;
	return edited_write(&(struct edited){dir, name, fd, path, .sync = false}, &edited, err);
}

/* A container of on_no_device "tcp" also has a record; without a device it never fails. */
static bool has_device(const struct record *record)
{
	return record->grant.memlock || record->grant.capabilities;
}

static int exec_as_recorded(struct shim *shim, bool *ret_has_device, struct err *err)
{
	struct record record;
	/* A record, be it unreadable, says that the container is one of ours. */
	int found = record_load(&shim->container.arena, shim->container.config.state_dir,
				&shim->key, &record, ret_has_device, err);

	if (found <= 0 || !owner_is_current(shim, &record))
		return found < 0 ? -1 : 0;
	*ret_has_device = has_device(&record);
	deadline_set_must_fail(*ret_has_device && shim->container.config.fail_on_error);
	return shim->args.process ? grant_process(shim, &record.grant, err)
				  : raise_own_memlock(&record.grant, err);
}

void serve_exec(struct shim *shim)
{
	const struct entry_point entry = {.name = WAY_IN};
	bool has_device = false;

	if (exec_as_recorded(shim, &has_device, &shim->err) == 0)
		return;
	outcome_fail(&shim->container, has_device, &shim->err, &shim->outcome);
	outcome_log(&shim->container, &shim->outcome, &entry);
}

/* ---- delete ---- */

/* Without --force the runtime refuses to delete a container that runs: it keeps its record then. */
void serve_delete(struct shim *shim)
{
	const char *state_dir = shim->container.config.state_dir;
	struct record record;
	struct err ignored;
	bool exists;

	if (shim->args.force ||
	    record_load(&shim->container.arena, state_dir, &shim->key, &record, &exists,
			&ignored) != 1 ||
	    !owner_runs(shim, &record))
		record_remove(state_dir, &shim->key);
}
