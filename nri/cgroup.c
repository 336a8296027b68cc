/* SPDX-License-Identifier: Apache-2.0 */
/* Never search by name: any user's systemd can create any name */
#include "nri/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/process/memlock.h"
#include "core/process/process.h"
#include "lib/files.h"

#define TOP "sys/fs/cgroup"
#define TOP_V1 TOP "/pids"
/* Containers may create endless cgroups */
#define DEPTH_MAX 8
#define DIRECTORIES_MAX 20000
#define PROCS_SIZE_MAX (1024 * 1024)

/* systemd's "a-b.slice:cri-containerd:ID" is a.slice/a-b.slice/cri-containerd-ID.scope. */
static const char *expand(struct arena *arena, const char *top, const char *slice)
{
	const char *prefix = strchr(slice, ':');
	const char *name = prefix ? strchr(prefix + 1, ':') : NULL;
	const char *path = name ? top : NULL;

	for (const char *dash = slice; path && dash < prefix; dash++) {
		if (*dash == '-')
			path = arena_printf(arena, "%s/%.*s.slice", path, (int)(dash - slice),
					    slice);
	}
	return path ? arena_printf(arena, "%s/%.*s/%.*s-%s.scope", path, (int)(prefix - slice),
				   slice, (int)(name - prefix) - 1, prefix + 1, name + 1)
		    : NULL;
}

void cgroup_find(int root, const char *cgroups_path, char path[CGROUP_PATH_SIZE])
{
	const char *top = tree_exists(root, TOP_V1) ? TOP_V1 : TOP;
	cleanup_arena arena = {0};
	const char *found = cgroups_path ? arena_printf(&arena, "%s/%s", top,
							cgroups_path + strspn(cgroups_path, "/"))
					 : NULL;
	/* Without systemd's driver this is a path */
	const char *expanded =
		found && !tree_exists(root, found) ? expand(&arena, top, cgroups_path) : NULL;

	if (expanded)
		found = expanded;
	if (!found || snprintf(path, CGROUP_PATH_SIZE, "%s", found) >= CGROUP_PATH_SIZE)
		path[0] = '\0';
}

bool cgroup_is_gone(int root, const char *path)
{
	return path && path[0] && tree_exists(root, TOP) && !tree_exists(root, path);
}

struct members {
	uint64_t memlock; /* target; 0: only find the first process */
	int64_t first;
	size_t raised;
	size_t directories;
	struct err *err;
};

static struct fs_text read_procs(struct arena *arena, int dir)
{
	cleanup_fd fd = fs_open(dir, "cgroup.procs", O_RDONLY, RESOLVE_BENEATH);
	struct fs_text text = {0};
	struct err ignored;

	(void)fs_read(arena, fd, PROCS_SIZE_MAX, "cgroup.procs", &text, &ignored);
	return text;
}

static bool lists(int dir, int64_t pid)
{
	cleanup_arena arena = {0};
	struct fs_text procs = read_procs(&arena, dir);
	char *line;

	while ((line = strsep(&procs.bytes, "\n"))) {
		if (strtoll(line, NULL, 10) == pid)
			return true;
	}
	return false;
}

/* A pid still listed after pidfd_open(2) is not reused */
static int raise_one(struct members *members, int dir, int64_t pid)
{
	cleanup_fd pidfd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
	bool changed = false;

	if (pidfd < 0 && errno != ESRCH)
		return err_sys(members->err, errno, "pidfd_open of pid %d", (pid_t)pid);
	if (pidfd < 0 || !lists(dir, pid))
		return 0;
	if (process_raise_memlock((pid_t)pid, pidfd, members->memlock, &changed, members->err) < 0)
		return -1;
	members->raised += changed;
	return 0;
}

/* Returns 1 if only the first was wanted and is found, 0, or -1. Skips 0: another pid
 * namespace's */
static int visit_procs(struct members *members, int dir)
{
	cleanup_arena arena = {0};
	struct fs_text procs = read_procs(&arena, dir);
	char *line;

	while ((line = strsep(&procs.bytes, "\n"))) {
		int64_t pid = strtoll(line, NULL, 10);

		if (pid <= 1)
			continue;
		members->first = pid;
		if (!members->memlock)
			return 1;
		if (raise_one(members, dir, pid) < 0)
			return -1;
	}
	return 0;
}

/* Top down: the first process is usually there */
static int walk(struct members *members, int at, const char *name, int depth)
{
	cleanup_fd dir = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	cleanup_dir *entries = NULL;
	const struct dirent *entry;
	int status;

	if (dir < 0 || depth > DEPTH_MAX || members->directories++ > DIRECTORIES_MAX)
		return 0;
	status = visit_procs(members, dir);
	if (!status)
		(void)tree_open_entries(dir, ".", &entries);
	while (!status && entries && (entry = readdir(entries))) {
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			status = walk(members, dir, entry->d_name, depth + 1);
	}
	return status;
}

static int walk_all(struct members *members, int root, const char *path)
{
	cleanup_fd dir = tree_open_dir(root, path);

	return walk(members, dir, ".", 0);
}

int64_t cgroup_first(int root, const char *path)
{
	struct members members = {0};

	(void)walk_all(&members, root, path);
	return members.first;
}

/* Containers may fork faster; later processes inherit the limit */
#define ROUNDS_MAX 16

int cgroup_mend(int root, const char *path, uint64_t memlock, size_t *ret_n, struct err *err)
{
	struct members members = {.memlock = memlock, .err = err};

	*ret_n = 0;
	for (int round = 0; round < ROUNDS_MAX; round++) {
		members.raised = members.directories = 0;
		if (walk_all(&members, root, path) < 0)
			return -1;
		*ret_n += members.raised;
		if (!members.raised)
			break;
	}
	return members.first ? 0
			     : err_set(err,
				       "no process is found in /%.300s: it has not started, has "
				       "ended, or hostPID is missing",
				       path);
}
