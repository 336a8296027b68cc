/* SPDX-License-Identifier: Apache-2.0 */
#include "core/record/store.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/base/text.h"

#define SUFFIX ".json"
#define NAME_SIZE 256 /* NAME_MAX, and a NUL */
/* A writer needs milliseconds; do not wait longer for one that has been stopped. */
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

	return len && id[0] != '.' && strspn(id, ALNUM "_.-") == len;
}

/* Namespace and container: RFC 1123 labels. A static pod's uid is a hash. Returns 0 or -1. */
static int make_name(const struct record *record, char name[NAME_SIZE])
{
	int len = snprintf(name, NAME_SIZE, "%s_%s_%s_%s_%010llx_%s" SUFFIX,
			   name_part(record->pod_namespace, 63), name_part(record->pod_uid, 36),
			   name_part(record->container, 63), record_result_names[record->result],
			   (unsigned long long)clock_ms(), record->id ? record->id : "");

	return record->id && is_container_id(record->id) && len < NAME_SIZE ? 0 : -1;
}

/* Cuts the name's copy. Returns whether it is a record's. */
static bool split_name(char *copy, struct record_entry *entry)
{
	char *parts[5];
	char *end;

	if (!text_ends_with(copy, SUFFIX))
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
	int n = tree_list(arena, dir, ".", "", &names);
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

/* Whether both are the same container of a pod; created again, it has another id. */
static bool is_same_container(const struct record_entry *a, const struct record_entry *b)
{
	return a->pod_namespace[0] && a->pod_uid[0] && a->container[0] &&
	       strcmp(a->pod_namespace, b->pod_namespace) == 0 &&
	       strcmp(a->pod_uid, b->pod_uid) == 0 && strcmp(a->container, b->container) == 0;
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

/* The record to remove, by the first of these that differs: its namespace has the most records, it
 * is a "nothing", its pod has the most, it is the oldest. new_namespace: gets one more. */
static size_t find_victim(const struct record_entry *entries, size_t n, const char *new_namespace)
{
	size_t victim = 0;
	int64_t most[4] = {0};
	size_t namespace_end = 0;
	size_t pod_end = 0;
	int64_t of_namespace = 0;
	int64_t of_pod = 0;

	for (size_t i = 0; i < n; i++) {
		size_t first = 0;

		if (i == namespace_end) {
			namespace_end += count_same(&entries[i], n - i, false);
			of_namespace = (int64_t)(namespace_end - i) +
				       (strcmp(entries[i].pod_namespace, new_namespace) == 0);
		}
		if (i == pod_end) {
			pod_end += count_same(&entries[i], n - i, true);
			of_pod = (int64_t)(pod_end - i);
		}
		const int64_t weight[] = {of_namespace, entries[i].result == RECORD_NOTHING, of_pod,
					  -entries[i].clock};

		while (first < 3 && weight[first] == most[first])
			first++;
		if (i && weight[first] <= most[first])
			continue;
		victim = i;
		memcpy(most, weight, sizeof(most));
	}
	return victim;
}

/* Makes room for the new record while the one that it replaces still exists. Returns false if there
 * is none for a "nothing". */
static bool make_room(int dir, struct record_entry *entries, size_t n,
		      const struct record_entry *new)
{
	while (n >= RECORDS_MAX - 1) {
		size_t victim = find_victim(entries, n, new->pod_namespace);

		if (new->result == RECORD_NOTHING && entries[victim].result != RECORD_NOTHING)
			return false;
		(void)unlinkat(dir, entries[victim].file, 0);
		n--;
		memmove(&entries[victim], &entries[victim + 1], (n - victim) * sizeof(*entries));
	}
	return true;
}

/* ---- written ---- */

/*
 * The caller holds the lock. The old record stays until the new one exists. The record of a grant
 * stays when a second entry point adds to the grant. A record without an engine takes over the
 * engine of the one that it replaces.
 */
static int put_record(struct arena *arena, int dir, struct record *record, struct err *err)
{
	char name[NAME_SIZE];
	struct replacement file = {.name = name, .mode = 0600};
	struct record_entry *entries;
	struct record_entry *old;
	struct record_entry new;
	struct record before;
	size_t n_old = 0;
	size_t kept = 0;
	char *copy;
	int n;

	if (make_name(record, name) < 0) {
		(void)err_set(err, "'%.80s' is not a container id", record->id ? record->id : "");
		return -EINVAL;
	}
	n = record_list(arena, dir, true, &entries);
	old = n < 0 ? NULL : arena_alloc(arena, (size_t)n * sizeof(*old));
	copy = arena_strdup(arena, name);
	if (!old || !copy || !split_name(copy, &new))
		return err_memory(err);
	for (int i = 0; i < n; i++) {
		bool same = strcmp(new.id, entries[i].id) == 0;

		if (same && record_load(arena, dir, entries[i].file, &before, err) == 1) {
			if (record->result == RECORD_GRANTED && before.result == RECORD_GRANTED)
				return 0;
			record->engine = record->engine ? record->engine : before.engine;
		}
		if (same || is_same_container(&new, &entries[i]))
			old[n_old++] = entries[i];
		else
			entries[kept++] = entries[i];
	}
	if (!make_room(dir, entries, kept, &new))
		return 0;
	file.bytes = record_text(arena, record, &file.len, err);
	if (!file.bytes || replace_file(dir, &file, "/" RECORD_DIR, err) < 0)
		return -1;
	for (size_t i = 0; i < n_old; i++) {
		if (strcmp(old[i].file, name) != 0)
			(void)unlinkat(dir, old[i].file, 0);
	}
	return 0;
}

int record_write(const char *sysroot, const struct record *record, struct err *err)
{
	cleanup_arena arena = {0};
	struct record copy = *record;
	cleanup_fd dir = trust_make_dir(sysroot, RECORD_DIR, err);

	if (dir < 0)
		return dir;
	copy.time = time(NULL);
	return lock_dir(dir, err) < 0 ? -1 : put_record(&arena, dir, &copy, err);
}

/* ---- read ---- */

int record_read(struct arena *arena, int sysroot, const char *id, struct record *ret_record,
		struct err *err)
{
	cleanup_fd dir = trust_open_dir(sysroot, RECORD_DIR, err);
	int status = 0;

	if (dir < 0)
		return dir == -ENOENT ? 0 : -1;
	/* One that is replaced after it was listed is listed by its new name. */
	for (int tries = 0; tries < 10 && !status; tries++) {
		const struct record_entry *found = NULL;
		struct record_entry *entries;
		int n = record_list(arena, dir, false, &entries);

		if (n < 0)
			return err_memory(err);
		/* While it is replaced both are there: the newer one counts. */
		for (int i = 0; i < n; i++) {
			if (strcmp(entries[i].id, id) == 0 &&
			    (!found || entries[i].clock >= found->clock))
				found = &entries[i];
		}
		if (!found)
			return 0;
		status = record_load(arena, dir, found->file, ret_record, err);
	}
	return status;
}

int record_count(int sysroot, int64_t window_ms, size_t ret_n[RECORD_RESULTS], struct err *err)
{
	cleanup_arena arena = {0};
	cleanup_fd dir = trust_open_dir(sysroot, RECORD_DIR, err);
	struct record_entry *entries;
	int n = dir < 0 ? 0 : record_list(&arena, dir, false, &entries);

	if (n < 0)
		return err_memory(err);
	for (int i = 0; i < n; i++)
		ret_n[entries[i].result] += !window_ms || clock_ms() - entries[i].clock < window_ms;
	return dir >= 0 || dir == -ENOENT ? 0 : -1;
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
