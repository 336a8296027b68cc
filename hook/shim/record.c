/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/shim/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/capability.h"
#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/proc.h"
#include "core/base/text.h"
#include "core/json/document.h"
#include "core/json/writer.h"

/*
 * podman gives XDG_RUNTIME_DIR to each runtime that it starts, directly or below conmon (libpod,
 * configureConmonEnv), and crun keeps its own state there (libcrun/status.c). An engine of root's
 * has none, and is asked nothing more.
 */
const char *state_dir_find(struct arena *arena, const struct config *config)
{
	const char *own = getenv("XDG_RUNTIME_DIR");

	if (!own || own[0] != '/' || strcmp(config->state_dir, CONFIG_STATE_DIR) != 0 ||
	    !rootless())
		return config->state_dir;
	return arena_printf(arena, "%s/" HOOK_NAME, own);
}

/* The longest front of path that is there; *len becomes its length, 0 for where path begins. */
static int open_front(const char *path, size_t *len)
{
	static char front[PATH_MAX];

	for (;;) {
		const char *begin = path[0] == '/' ? "/" : ".";
		int fd;

		memcpy(front, path, *len);
		front[*len] = '\0';
		fd = open(*len ? front : begin, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 || *len == 0)
			return fd;
		while (*len > 0 && path[*len - 1] != '/')
			(*len)--;
		while (*len > 0 && path[*len - 1] == '/')
			(*len)--;
	}
}

/* Puts the components of rest behind path. Returns 0, or -1 if it does not fit. */
static int append(char *path, size_t size, const char *rest)
{
	size_t used = strlen(path);

	if (used == 1) /* "/" */
		used = 0;
	while (*rest) {
		size_t len = strcspn(rest, "/");
		bool nothing = len == 0 || (len == 1 && rest[0] == '.');

		if (!nothing && used + len + 2 > size)
			return -1;
		if (!nothing)
			used += (size_t)sprintf(path + used, "/%.*s", (int)len, rest);
		rest += len + (rest[len] == '/');
	}
	return 0;
}

/*
 * The directory that --root leads to, which may be said in several ways. A runtime makes it when it
 * first needs it: what is not there yet is taken as it is said.
 */
static int resolve(const char *root, char *path, size_t size)
{
	size_t len = strlen(root);
	cleanup_fd fd = -1;

	if (len >= PATH_MAX)
		return -1;
	fd = open_front(root, &len);
	if (fd < 0 || fs_path_of(fd, path, size) < 0)
		return -1;
	return append(path, size, root + len);
}

/* Runtimes allow no '/' in an id; nor do we. */
static bool is_id(const char *id)
{
	return id[0] && !strchr(id, '/');
}

int record_name(const struct record_key *key, struct record_name *ret_name)
{
	static char path[PATH_MAX];
	const char *root = text_base_name(key->runtime);
	int len;

	if (!is_id(key->id))
		return -1;
	if (key->root[0])
		root = resolve(key->root, path, sizeof(path)) == 0 ? path : key->root;
	len = snprintf(ret_name->text, sizeof(ret_name->text), "%s@%016" PRIx64 ".json", key->id,
		       text_hash(root));
	return len < (int)sizeof(ret_name->text) ? 0 : -1;
}

/* "<id>.json", as earlier versions called it. Containers that run during an upgrade keep theirs. */
static int record_old_name(const struct record_key *key, struct record_name *ret_name)
{
	int len = snprintf(ret_name->text, sizeof(ret_name->text), "%s.json", key->id);

	return is_id(key->id) && len < (int)sizeof(ret_name->text) ? 0 : -1;
}

#define RECORD_SIZE_MAX (256 * 1024)

/*
 * When a container's process may have started, beside the record: the kernel's clock ticks are
 * coarse, and a runtime may take as long as CRI-O gives it (container_create_timeout, 240 s).
 */
#define START_SLACK 1000000000U
#define START_PATIENCE (300 * UINT64_C(1000000000))

/* make: create it if it is not there. A user who could write there could grant by it. */
static int open_state_dir(const char *path, bool make, struct err *err)
{
	cleanup_fd dir = -1;
	struct stat st;

	bool made = make && mkdir(path, 0700) == 0;

	if (make && !made && errno != EEXIST)
		return err_sys(err, errno, "state_dir %s", path);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 && errno == ENOENT && !make)
		return -ENOENT;
	/* The caller's umask is not ours to change. */
	if (dir < 0 || (made && fchmod(dir, 0700) < 0) || fstat(dir, &st) < 0)
		return err_sys(err, errno, "state_dir %s", path);
	if (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(err,
			       "state_dir %s must belong to root alone: run chown root and chmod "
			       "0700 on it",
			       path);
	return take_fd(&dir);
}

static uint64_t nanoseconds(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000U + (uint64_t)time->tv_nsec;
}

int record_identify(const struct stat *st, struct record *record)
{
	struct timespec now;

	if (clock_gettime(CLOCK_BOOTTIME, &now) < 0)
		return -errno;
	record->device = st->st_dev;
	record->inode = st->st_ino;
	record->created = nanoseconds(&now);
	return 0;
}

int record_prepare(const char *state_dir, struct err *err)
{
	cleanup_fd dir = open_state_dir(state_dir, true, err);

	return dir < 0 ? -1 : 0;
}

/* ---- writing ---- */

static int put_record(yajl_gen gen, void *context)
{
	const struct record *record = context;
	const struct grant *grant = &record->grant;

	(void)yajl_gen_map_open(gen);
	json_put_text(gen, "bundle", record->bundle);
	json_put_text(gen, "config", record->config);
	json_put_uint64(gen, "device", record->device);
	json_put_uint64(gen, "inode", record->inode);
	json_put_uint64(gen, "created", record->created);
	json_put_text(gen, "root", record->root);
	json_put_text(gen, "pid_file", record->pid_file);
	json_put_uint64(gen, "memlock", grant->memlock);
	json_put_uint64(gen, "capabilities", grant->capabilities);
	json_put_string(gen, "env");
	(void)yajl_gen_map_open(gen);
	for (size_t i = 0; i < grant->n_settings; i++)
		json_put_text(gen, grant->settings[i].name, grant->settings[i].value);
	(void)yajl_gen_map_close(gen);
	(void)yajl_gen_map_close(gen);
	return 0;
}

static int write_record(int dir, const char *state_dir, const char *name, const char *text,
			size_t len, struct err *err)
{
	static char what[PATH_MAX];

	(void)snprintf(what, sizeof(what), "%s/%s", state_dir, name);
	return replace_own(
		dir,
		&(struct replacement){
			.name = name, .bytes = text, .len = len, .mode = 0600, .is_new = true},
		what, err);
}

int record_save(const char *state_dir, const struct record_key *key, const struct record *record,
		struct err *err)
{
	cleanup_arena arena = {0};
	cleanup_fd dir = -1;
	struct record_name name;
	const char *text;
	size_t len;

	if (record_name(key, &name) < 0)
		return err_set(err, "'%.80s' is not a container id", key->id);
	dir = open_state_dir(state_dir, true, err);
	if (dir < 0)
		return -1;
	text = json_write(&arena, false, put_record, (void *)record, &len);
	if (!text)
		return err_memory(err);
	return write_record(dir, state_dir, name.text, text, len, err);
}

/* ---- reading ---- */

static const char *get_text(struct json_document *doc, const char *key, const char *absent)
{
	const struct json_node *node = json_get(doc, doc->root, key, JSON_STRING);

	return node ? json_string(doc, node) : absent;
}

static uint64_t get_count(struct json_document *doc, const char *key)
{
	return json_uint64(doc, json_get(doc, doc->root, key, JSON_NUMBER), 0);
}

static void read_settings(struct json_document *doc, struct grant *grant)
{
	const struct json_node *env = json_get(doc, doc->root, "env", JSON_OBJECT);
	struct setting *setting = json_items(doc, env, sizeof(*setting));

	if (!setting)
		return;
	grant->settings = setting;
	json_each(member, env) {
		setting[grant->n_settings++] = (struct setting){.name = json_key(doc, member),
								.value = json_string(doc, member)};
	}
}

static struct record read_members(struct json_document *doc)
{
	static const char *const keys[] = {"bundle",  "config",       "device",   "inode",
					   "created", "root",         "pid_file", "memlock",
					   "env",     "capabilities", NULL};
	struct record record = {
		.bundle = get_text(doc, "bundle", NULL),
		.config = get_text(doc, "config", NULL),
		.device = get_count(doc, "device"),
		.inode = get_count(doc, "inode"),
		.created = get_count(doc, "created"),
		.root = get_text(doc, "root", ""),
		.pid_file = get_text(doc, "pid_file", ""),
		.grant.memlock = get_count(doc, "memlock"),
		.grant.capabilities = get_count(doc, "capabilities"),
	};

	json_known_keys(doc, doc->root, keys);
	read_settings(doc, &record.grant);
	return record;
}

static bool same_root(const char *a, const char *b)
{
	return strcmp(a, b) == 0 || fs_same_directory(a, b);
}

static int read_record(struct arena *arena, int fd, const char *what, struct record *ret_record,
		       struct err *err)
{
	struct json_document doc;
	struct record record;
	struct fs_text text;

	if (fs_read_regular(arena, fd, RECORD_SIZE_MAX, what, &text, err) < 0 ||
	    json_parse(&doc, arena, what, text.bytes, text.len, 0, err) < 0)
		return -1;
	record = read_members(&doc);
	if (doc.failed)
		return -1;
	if (!record.config || !record.bundle)
		return err_set(err, "%s: the config or the bundle is missing", what);
	*ret_record = record;
	return 1;
}

/* As record_load, of the file of this name */
static int load(struct arena *arena, int dir, const char *state_dir, const char *name,
		struct record *ret_record, bool *ret_exists, struct err *err)
{
	cleanup_fd fd = fs_open(dir, name, O_RDONLY | O_NOFOLLOW, RESOLVE_BENEATH);
	const char *what = arena_printf(arena, "%s/%s", state_dir, name);

	*ret_exists = fd != -ENOENT;
	if (fd == -ENOENT)
		return 0;
	if (!what)
		return err_memory(err);
	if (fd < 0)
		return err_sys(err, -fd, "%s", what);
	return read_record(arena, fd, what, ret_record, err);
}

/* A record of an earlier version, whose name says no root: another root's is none. */
static int load_old(struct arena *arena, int dir, const char *state_dir,
		    const struct record_key *key, struct record *ret_record, bool *ret_exists,
		    struct err *err)
{
	struct record_name name;
	int status;

	*ret_exists = false;
	if (record_old_name(key, &name) < 0)
		return 0;
	status = load(arena, dir, state_dir, name.text, ret_record, ret_exists, err);
	if (status == 1 && !same_root(ret_record->root, key->root)) {
		*ret_exists = false;
		return 0;
	}
	return status;
}

int record_load(struct arena *arena, const char *state_dir, const struct record_key *key,
		struct record *ret_record, bool *ret_exists, struct err *err)
{
	struct record_name name;
	cleanup_fd dir = open_state_dir(state_dir, false, err);
	int status;

	*ret_exists = false;
	if (dir == -ENOENT || (dir >= 0 && record_name(key, &name) < 0))
		return 0;
	if (dir < 0)
		return -1;
	status = load(arena, dir, state_dir, name.text, ret_record, ret_exists, err);
	return *ret_exists ? status
			   : load_old(arena, dir, state_dir, key, ret_record, ret_exists, err);
}

void record_remove(const char *state_dir, const struct record_key *key)
{
	cleanup_arena arena = {0};
	struct record_name name;
	struct record record = {.root = ""};
	struct err ignored;
	bool exists;
	cleanup_fd dir = open_state_dir(state_dir, false, &ignored);

	if (dir < 0 || record_name(key, &name) < 0)
		return;
	(void)unlinkat(dir, name.text, 0);
	if (load_old(&arena, dir, state_dir, key, &record, &exists, &ignored) == 1 &&
	    record_old_name(key, &name) == 0)
		(void)unlinkat(dir, name.text, 0);
}

/* Clock ticks to nanoseconds; 0 if there is no such process */
static uint64_t start_of(pid_t pid)
{
	char path[32];
	uint64_t ticks;

	if (pid <= 1)
		return 0;
	(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	ticks = process_stat_read(AT_FDCWD, path, PROCESS_STAT_START);
	return ticks * (1000000000U / (uint64_t)sysconf(_SC_CLK_TCK));
}

static bool started_with(const struct record *record, pid_t pid)
{
	uint64_t start = start_of(pid);

	return start && start + START_SLACK >= record->created &&
	       start <= record->created + START_PATIENCE;
}

bool record_is_current(const struct record *record, pid_t pid)
{
	cleanup_fd fd = open(record->config, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	return st.st_dev == record->device && st.st_ino == record->inode &&
	       (pid == 0 || started_with(record, pid));
}
