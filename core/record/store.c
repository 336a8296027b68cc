/* SPDX-License-Identifier: Apache-2.0 */
#include "core/record/store.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/base/text.h"

#define PARENT "run/oci-rdma-hook"
#define SUFFIX ".json"
#define NAME_SIZE 256 /* NAME_MAX, and a NUL */
/* A writer has its turn within milliseconds; a stopped one is not waited for longer. */
#define LOCK_MS 500

#define ALNUM "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* ---- the names ---- */

/* Only the last part may hold a '_', and the whole must fit: otherwise it counts as not known. */
static const char *name_part(const char *text, size_t max)
{
	size_t len = text ? strlen(text) : 0;

	return len && len <= max && strspn(text, ALNUM "-") == len ? text : "";
}

static bool is_container_id(const char *id)
{
	size_t len = strlen(id);

	return len && len <= 128 && id[0] != '.' && strspn(id, ALNUM "_.-") == len;
}

/* Namespace and container: RFC 1123 labels. A static pod's uid is a hash. Returns 0 or -1. */
static int make_name(const struct record *record, char name[NAME_SIZE])
{
	int len = snprintf(name, NAME_SIZE, "%s_%s_%s_%s_%010llx_%s" SUFFIX,
			   name_part(record->pod_namespace, 63), name_part(record->pod_uid, 36),
			   name_part(record->container, 63), record_result_name(record->result),
			   (unsigned long long)clock_ms(), record->id ? record->id : "");

	return record->id && is_container_id(record->id) && len < NAME_SIZE ? 0 : -1;
}

/* Cuts the name's copy. Returns whether it is a record's. */
static bool split_name(char *copy, struct record_entry *entry)
{
	char *parts[5];
	char *end;

	if (copy[0] == '.' || !text_ends_with(copy, SUFFIX))
		return false;
	copy[strlen(copy) - strlen(SUFFIX)] = '\0';
	for (size_t i = 0; i < 5; i++) {
		parts[i] = copy;
		copy = strchr(copy, '_');
		if (!copy)
			return false;
		*copy++ = '\0';
	}
	entry->pod_namespace = parts[0];
	entry->pod_uid = parts[1];
	entry->container = parts[2];
	entry->clock = strtoll(parts[4], &end, 16);
	entry->id = copy;
	for (size_t i = 0; record_result_names[i]; i++) {
		entry->result = (enum record_result)i;
		if (strcmp(record_result_names[i], parts[3]) == 0)
			return end != parts[4] && !*end && is_container_id(copy);
	}
	return false;
}

int record_list(struct arena *arena, int dir, bool locked, struct record_entry **ret_entries)
{
	const char **names;
	int n = tree_list_all(arena, dir, ".", "", &names);
	struct record_entry *entries =
		n < 0 ? NULL : arena_alloc(arena, (size_t)n * sizeof(*entries));
	int kept = 0;

	if (!entries)
		return -1;
	for (int i = 0; i < n; i++) {
		char *copy = arena_strdup(arena, names[i]);

		if (!copy)
			return -1;
		entries[kept].file = names[i];
		if (split_name(copy, &entries[kept]))
			kept++;
		else if (locked)
			(void)unlinkat(dir, names[i], 0);
	}
	*ret_entries = entries;
	return kept;
}

/* ---- the directory ---- */

static bool is_roots_alone(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_uid == 0 || st.st_uid == geteuid()) &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

int record_open(int sysroot, struct err *err)
{
	cleanup_fd dir = fs_open(sysroot, RECORD_DIR, O_RDONLY | O_DIRECTORY, RESOLVE_IN_ROOT);

	if (dir == -ENOENT)
		return -ENOENT;
	if (dir < 0)
		return err_sys(err, -dir, "/" RECORD_DIR);
	if (!is_roots_alone(dir))
		return err_set(err, "/" RECORD_DIR " must belong to root alone: run chown root and "
				    "chmod 0700 on it");
	return take_fd(&dir);
}

/* Returns a descriptor, -ENOENT or -1. */
static int make_dir(const char *sysroot, struct err *err)
{
	static const char *const paths[] = {"run", PARENT, RECORD_DIR};
	cleanup_fd root = tree_open_root(sysroot, err);
	int dir = root < 0 ? -1 : record_open(root, err);

	if (dir != -ENOENT)
		return dir;
	for (size_t i = 1; i < sizeof(paths) / sizeof(paths[0]); i++) {
		cleanup_fd parent =
			fs_open(root, paths[i - 1], O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);

		if (parent == -ENOENT) {
			(void)err_sys(err, ENOENT, "/" RECORD_DIR);
			return -ENOENT;
		}
		if (parent < 0)
			return err_sys(err, -parent, "/" RECORD_DIR);
		if (mkdirat(parent, text_base_name(paths[i]), 0700) < 0 && errno != EEXIST)
			return err_sys(err, errno, "/" RECORD_DIR);
	}
	dir = record_open(root, err);
	return dir == -ENOENT ? err_sys(err, ENOENT, "/" RECORD_DIR) : dir;
}

/* flock(2) has no timeout. The lock goes with the descriptor. Returns 0 or -1. */
static int lock_dir(int dir, struct err *err)
{
	int64_t end = clock_ms() + LOCK_MS;

	while (flock(dir, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK)
			return err_sys(err, errno, "cannot lock /" RECORD_DIR);
		if (clock_ms() > end)
			return err_set(err, "/" RECORD_DIR " is locked by another process, which "
					    "may be stopped");
		(void)poll(NULL, 0, 1);
	}
	return 0;
}

/* ---- which one goes ---- */

static bool is_same(const char *a, const char *b)
{
	return a[0] && strcmp(a, b) == 0;
}

/* The next record of this container, or of this name in its pod */
static bool replaces(const struct record_entry *new, const struct record_entry *old)
{
	return strcmp(new->id, old->id) == 0 ||
	       (is_same(new->pod_namespace, old->pod_namespace) &&
		is_same(new->pod_uid, old->pod_uid) && is_same(new->container, old->container));
}

/* How many from the first on are of its namespace, and of its pod if of_pod: they are sorted. */
static size_t count_same(const struct record_entry *entries, size_t n, bool of_pod)
{
	size_t i = 1;

	while (i < n && strcmp(entries[i].pod_namespace, entries[0].pod_namespace) == 0 &&
	       (!of_pod || strcmp(entries[i].pod_uid, entries[0].pod_uid) == 0))
		i++;
	return i;
}

/* Of one namespace: a "nothing", of the pod that has the most, the oldest */
static size_t find_in_namespace(const struct record_entry *entries, size_t n)
{
	size_t victim = 0;
	size_t most = 0; /* that the victim's pod has */
	size_t of_pod = 0;

	for (size_t i = 0, end = 0; i < n; i++) {
		const struct record_entry *first = &entries[victim];
		bool nothing = entries[i].result == RECORD_NOTHING;
		bool first_nothing = first->result == RECORD_NOTHING;

		if (i == end) {
			of_pod = count_same(&entries[i], n - i, true);
			end += of_pod;
		}
		if (nothing != first_nothing ? nothing
					     : of_pod > most || (of_pod == most &&
								 entries[i].clock < first->clock)) {
			victim = i;
			most = of_pod;
		}
	}
	return victim;
}

/* The new one counts as its namespace's. */
static size_t find_victim(const struct record_entry *entries, size_t n,
			  const struct record_entry *new)
{
	size_t begin = 0;
	size_t most = 0;
	size_t len = 0;

	for (size_t i = 0, of_namespace; i < n; i += of_namespace) {
		size_t weight;

		of_namespace = count_same(&entries[i], n - i, false);
		weight = of_namespace + (strcmp(entries[i].pod_namespace, new->pod_namespace) == 0);
		if (weight > most) {
			begin = i;
			most = weight;
			len = of_namespace;
		}
	}
	return begin + find_in_namespace(&entries[begin], len);
}

/*
 * Leaves out those that the new one replaces, and removes others until there is room for it, and
 * for the one that it replaces. Returns false if a "nothing" has no room.
 */
static bool make_room(int dir, struct record_entry *entries, size_t n,
		      const struct record_entry *new)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (!replaces(new, &entries[i]))
			entries[kept++] = entries[i];
	}
	while (kept >= RECORDS_MAX - 1) {
		size_t victim = find_victim(entries, kept, new);

		if (new->result == RECORD_NOTHING && entries[victim].result != RECORD_NOTHING)
			return false;
		(void)unlinkat(dir, entries[victim].file, 0);
		kept--;
		memmove(&entries[victim], &entries[victim + 1], (kept - victim) * sizeof(*entries));
	}
	return true;
}

/* ---- written ---- */

/* The lock is held. The last record stays until the new one is there. */
static int put_file(struct arena *arena, int dir, const struct replacement *file, struct err *err)
{
	struct record_entry *entries;
	int n = record_list(arena, dir, true, &entries);
	struct record_entry *old = n < 0 ? NULL : arena_alloc(arena, (size_t)n * sizeof(*entries));
	struct record_entry new = {.file = file->name};
	char *copy = arena_strdup(arena, file->name);

	if (!old || !copy || !split_name(copy, &new))
		return err_memory(err);
	memcpy(old, entries, (size_t)n * sizeof(*entries));
	if (!make_room(dir, entries, (size_t)n, &new))
		return 0;
	if (replace_own(dir, file, "/" RECORD_DIR, err) < 0)
		return -1;
	for (int i = 0; i < n; i++) {
		if (replaces(&new, &old[i]) && strcmp(old[i].file, file->name) != 0)
			(void)unlinkat(dir, old[i].file, 0);
	}
	return 0;
}

int record_write(const char *sysroot, const struct record *record, struct err *err)
{
	cleanup_arena arena = {0};
	struct record copy = *record;
	char name[NAME_SIZE];
	struct replacement file = {.name = name, .mode = 0600, .is_new = true};
	cleanup_fd dir = -1;

	if (make_name(record, name) < 0) {
		(void)err_set(err, "'%.80s' is not a container id", record->id ? record->id : "");
		return -EINVAL;
	}
	copy.time = time(NULL);
	file.bytes = record_text(&arena, &copy, &file.len, err);
	if (!file.bytes)
		return -1;
	dir = make_dir(sysroot, err);
	if (dir < 0)
		return dir;
	return lock_dir(dir, err) < 0 ? -1 : put_file(&arena, dir, &file, err);
}

/* ---- read ---- */

int record_load(struct arena *arena, int dir, const char *file, struct record *ret_record,
		struct err *err)
{
	cleanup_fd fd = fs_open(dir, file, O_RDONLY | O_NOFOLLOW, RESOLVE_BENEATH);
	const char *what = arena_printf(arena, "/" RECORD_DIR "/%s", file);
	struct fs_text text;

	if (fd == -ENOENT)
		return 0;
	if (!what)
		return err_memory(err);
	if (fd < 0)
		return err_sys(err, -fd, "%s", what);
	if (!is_roots_alone(fd))
		return err_set(err, "%s: others than root can write it, so it is not believed",
			       what);
	if (fs_read_regular(arena, fd, RECORD_SIZE_MAX, what, &text, err) < 0 ||
	    record_parse(arena, what, &text, ret_record, err) < 0)
		return -1;
	return 1;
}

/* While a record is replaced both are there: the newer one counts. NULL: none. */
static const struct record_entry *find_id(const struct record_entry *entries, int n, const char *id)
{
	const struct record_entry *found = NULL;

	for (int i = 0; i < n; i++) {
		if (strcmp(entries[i].id, id) == 0 && (!found || entries[i].clock >= found->clock))
			found = &entries[i];
	}
	return found;
}

int record_read(struct arena *arena, int sysroot, const char *id, struct record *ret_record,
		struct err *err)
{
	cleanup_fd dir = record_open(sysroot, err);

	if (dir < 0)
		return dir == -ENOENT ? 0 : -1;
	/* One that is replaced after it was listed is listed by its new name. */
	for (int tries = 0; tries < 10; tries++) {
		struct record_entry *entries;
		int n = record_list(arena, dir, false, &entries);
		const struct record_entry *entry = n < 0 ? NULL : find_id(entries, n, id);
		int status;

		if (n < 0)
			return err_memory(err);
		if (!entry)
			return 0;
		status = record_load(arena, dir, entry->file, ret_record, err);
		if (status)
			return status;
	}
	return 0;
}

void record_forget(int dir, const struct record_entry *entry, const char *engine)
{
	cleanup_arena arena = {0};
	struct record record;
	struct err ignored;

	if (clock_ms() - entry->clock >= RECORD_NEW_MS &&
	    record_load(&arena, dir, entry->file, &record, &ignored) == 1 && record.engine &&
	    strcmp(record.engine, engine) == 0)
		(void)unlinkat(dir, entry->file, 0);
}
