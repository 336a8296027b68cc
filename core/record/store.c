/* SPDX-License-Identifier: Apache-2.0 */
#include "core/record/store.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/replace.h"
#include "core/base/trust.h"
#include "core/record/record.h"

/* Writers need milliseconds, unless stopped. */
#define LOCK_MS 500

#define LOCK "/run/oci-rdma-hook/" RECORD_LOCK_NAME

/* flock(2) has no timeout. */
static int acquire_lock(int dir, struct err *err)
{
	int64_t end = clock_ms() + LOCK_MS;
	cleanup_fd lock = fs_open(dir, "../" RECORD_LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW, 0);

	if (lock < 0)
		return err_sys(err, -lock, LOCK);
	while (flock(lock, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK)
			return err_sys(err, errno, "cannot lock " LOCK);
		if (clock_ms() > end)
			return err_set(err,
				       LOCK " is locked by another process, which may be stopped");
		(void)poll(NULL, 0, 1);
	}
	return steal_fd(&lock);
}

/* A re-created container has another id. */
static bool is_same_container(const struct record_entry *a, const struct record_entry *b)
{
	return a->pod_namespace[0] && a->pod_uid[0] && a->container[0] &&
	       strcmp(a->pod_namespace, b->pod_namespace) == 0 &&
	       strcmp(a->pod_uid, b->pod_uid) == 0 && strcmp(a->container, b->container) == 0;
}

/* How many entries (sorted) share the first len bytes */
static size_t count_same(const struct record_entry *entries, size_t n, size_t len)
{
	size_t i = 1;

	while (i < n && strncmp(entries[i].file, entries[0].file, len) == 0)
		i++;
	return i;
}

/* By record.h's order; new_namespace gets one more. */
static size_t find_victim(const struct record_entry *entries, size_t n, const char *new_namespace)
{
	size_t victim = 0;
	int64_t most[4] = {0};
	size_t namespace_end = 0;
	size_t pod_end = 0;
	int64_t of_namespace = 0;
	int64_t of_pod = 0;

	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(entries[i].pod_namespace) + 1;
		size_t first = 0;

		if (i == namespace_end) {
			namespace_end += count_same(&entries[i], n - i, len);
			of_namespace = (int64_t)(namespace_end - i) +
				       (strcmp(entries[i].pod_namespace, new_namespace) == 0);
		}
		if (i == pod_end) {
			pod_end += count_same(&entries[i], n - i,
					      len + strlen(entries[i].pod_uid) + 1);
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

/* Ended: the kubelet lacks the pod. Returns how many stay. */
static size_t drop_ended(int dir, struct record_entry *entries, size_t n)
{
	cleanup_fd pods = fs_open(dir, "../../../var/lib/kubelet/pods", O_PATH | O_DIRECTORY, 0);
	bool ended = false;
	size_t kept = 0;

	for (size_t i = 0; pods >= 0 && i < n; i++) {
		const char *uid = entries[i].pod_uid;

		/* Sorted; entries[i - 1] is intact. */
		if (!i || strcmp(uid, entries[i - 1].pod_uid) != 0) {
			cleanup_fd pod = fs_open(pods, uid, O_PATH | O_DIRECTORY, RESOLVE_BENEATH);

			ended = pod == -ENOENT && uid[0];
		}
		if (ended)
			(void)unlinkat(dir, entries[i].file, 0);
		else
			entries[kept++] = entries[i];
	}
	return pods < 0 ? n : kept;
}

static bool has_more(const struct record_entry *entries, size_t n, size_t victim, const char *own)
{
	int more = -1;

	for (size_t i = 0; i < n; i++)
		more += (strcmp(entries[i].pod_namespace, entries[victim].pod_namespace) == 0) -
			(strcmp(entries[i].pod_namespace, own) == 0);
	return more > 0;
}

/* False if a "nothing" finds no room */
static bool make_room(int dir, struct record_entry *entries, size_t n,
		      const struct record_entry *new)
{
	const char *own = new->pod_namespace;

	if (n >= RECORDS_MAX - 1)
		n = drop_ended(dir, entries, n);
	while (n >= RECORDS_MAX - 1) {
		size_t victim = find_victim(entries, n, own);

		if (new->result == RECORD_NOTHING && entries[victim].result != RECORD_NOTHING &&
		    !has_more(entries, n, victim, own))
			return false;
		(void)unlinkat(dir, entries[victim].file, 0);
		n--;
		memmove(&entries[victim], &entries[victim + 1], (n - victim) * sizeof(*entries));
	}
	return true;
}

/* A grant's record stays, even if the same entry point adds to it. */
static bool is_recorded(const struct record *before, const struct record *record)
{
	return before->result == record->result &&
	       (record->result == RECORD_GRANTED ||
		(record->result != RECORD_FAILED &&
		 strcmp(before->entry_point, record->entry_point) != 0));
}

/* Needs the lock. Removes the old record last; keeps its engine if the new one lacks it. */
static int put_record(struct arena *arena, int dir, struct record *record, struct err *err)
{
	char name[RECORD_NAME_SIZE];
	struct replacement file = {.name = name, .mode = 0600};
	struct record_entry new = {.file = name};
	struct record_entry *entries;
	struct record before;
	const char **old;
	size_t n_old = 0;
	size_t kept = 0;
	int n;

	if (!record_name_make(record, name)) {
		err_set(err, "'%.80s' is not a container id", record->id ? record->id : "");
		return -EINVAL;
	}
	n = record_list(arena, dir, true, &entries);
	old = n < 0 ? NULL : arena_alloc(arena, (size_t)n * sizeof(*old));
	if (!old || record_name_split(arena, &new) < 0)
		return err_memory(err);
	for (int i = 0; i < n; i++) {
		bool same = strcmp(new.id, entries[i].id) == 0;

		if (same && record_load(arena, dir, entries[i].file, &before, err) == 1) {
			if (is_recorded(&before, record))
				return 1;
			record->engine = record->engine ? record->engine : before.engine;
		}
		if (same || is_same_container(&new, &entries[i]))
			old[n_old++] = entries[i].file;
		else
			entries[kept++] = entries[i];
	}
	if (!make_room(dir, entries, kept, &new))
		return 0;
	file.bytes = record_text(arena, record, &file.len, err);
	if (!file.bytes || replace_file(dir, &file, "/" RECORD_DIR, err) < 0)
		return -1;
	for (size_t i = 0; i < n_old; i++) {
		if (strcmp(old[i], name) != 0)
			(void)unlinkat(dir, old[i], 0);
	}
	return 0;
}

int record_write(const char *sysroot, const struct record *record, struct err *err)
{
	cleanup_arena arena = {0};
	struct record copy = *record;
	cleanup_fd dir = trust_make_dir(sysroot, RECORD_DIR, err);
	cleanup_fd lock = dir < 0 ? -1 : acquire_lock(dir, err);

	if (dir < 0)
		return dir;
	copy.time = time(NULL);
	return lock < 0 ? -1 : put_record(&arena, dir, &copy, err);
}
