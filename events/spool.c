/* SPDX-License-Identifier: Apache-2.0 */
#include "events/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"

#define GONE "/" RECORD_DIR " was removed: this program has to be started again"

int spool_open(struct spool *spool, const char *sysroot, struct err *err)
{
	cleanup_fd root = tree_open_root(sysroot, err);
	char path[64];

	*spool = SPOOL_NONE;
	if (root < 0)
		return -1;
	spool->dir = record_open(root, err);
	if (spool->dir == -ENOENT)
		return err_set(err, "/" RECORD_DIR
				    " is not there: no entry point has left a record yet; "
				    "mkdir -m 0700 -p it");
	if (spool->dir < 0)
		return -1;
	spool->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (spool->watch < 0)
		return err_sys(err, errno, "inotify");
	/* By the descriptor, so that it is the directory that was examined. A file gets its name
	 * when it is whole (core/base/replace.c). */
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", spool->dir);
	if (inotify_add_watch(spool->watch, path, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR) < 0)
		return err_sys(err, errno, "/" RECORD_DIR ": inotify");
	return 0;
}

void spool_close(struct spool *spool)
{
	cleanup_close_fd(&spool->dir);
	cleanup_close_fd(&spool->watch);
	*spool = SPOOL_NONE;
}

static void read_one(const struct spool *spool, const struct spool_handler *handler,
		     const char *name)
{
	cleanup_arena arena = {0};
	struct record record;
	struct err err;
	int found;

	if (name[0] == '.' || !text_ends_with(name, ".json"))
		return;
	found = record_load(&arena, spool->dir, name, &record, &err);
	if (found < 0)
		handler->fail(handler->context, &err);
	else if (found > 0 && record.tell && record.pod && record.pod_namespace)
		handler->take(handler->context, &record);
}

/* ---- all ---- */

struct entry {
	const char *name;
	struct timespec time;
};

static int compare_times(const void *a, const void *b)
{
	const struct entry *one = a;
	const struct entry *other = b;

	if (one->time.tv_sec != other->time.tv_sec)
		return one->time.tv_sec < other->time.tv_sec ? -1 : 1;
	if (one->time.tv_nsec != other->time.tv_nsec)
		return one->time.tv_nsec < other->time.tv_nsec ? -1 : 1;
	return strcmp(one->name, other->name);
}

int spool_read_all(const struct spool *spool, const struct spool_handler *handler, struct err *err)
{
	cleanup_arena arena = {0};
	const char **names;
	int n = tree_list(&arena, spool->dir, ".", ".json", &names);
	struct entry *entries = n < 0 ? NULL : arena_alloc(&arena, (size_t)n * sizeof(*entries));
	struct stat st;

	if (!entries)
		return err_memory(err);
	for (int i = 0; i < n; i++) {
		entries[i].name = names[i];
		if (fstatat(spool->dir, names[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
			entries[i].time = st.st_mtim;
	}
	qsort(entries, (size_t)n, sizeof(*entries), compare_times);
	for (int i = 0; i < n; i++)
		read_one(spool, handler, entries[i].name);
	return n;
}

/* ---- new ones ---- */

static void read_notices(const struct spool *spool, const struct spool_handler *handler,
			 const char *bytes, size_t len, bool *overflow)
{
	const struct inotify_event *notice;

	for (size_t at = 0; at < len; at += sizeof(*notice) + notice->len) {
		notice = (const struct inotify_event *)(bytes + at);
		*overflow |= notice->mask & IN_Q_OVERFLOW;
		if (notice->len)
			read_one(spool, handler, notice->name);
	}
}

/* IN_DELETE_SELF would not come: our descriptor, and a pod's mount, hold the directory. */
static bool is_gone(int dir)
{
	struct stat st;

	return fstat(dir, &st) < 0 || st.st_nlink == 0;
}

int spool_read_new(const struct spool *spool, const struct spool_handler *handler, struct err *err)
{
	_Alignas(struct inotify_event) char bytes[4096];
	bool overflow = false;
	ssize_t n;

	while ((n = read(spool->watch, bytes, sizeof(bytes))) > 0)
		read_notices(spool, handler, bytes, (size_t)n, &overflow);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return err_sys(err, errno, "inotify");
	if (is_gone(spool->dir))
		return err_set(err, GONE);
	return overflow && spool_read_all(spool, handler, err) < 0 ? -1 : 0;
}
