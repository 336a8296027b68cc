/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/nri_status.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/json/fields.h"
#include "core/process/process.h"
#include "explain/files.h"

/* ---- the file ---- */

static const struct json_field fields[] = {
	JSON_FIELD(struct nri_status, pid, "pid", JSON_NUMBER),
	JSON_FIELD(struct nri_status, started, "started", JSON_NUMBER),
	JSON_FIELD(struct nri_status, alive_ms, "alive_ms", JSON_NUMBER),
	JSON_FIELD(struct nri_status, socket, "socket", JSON_STRING),
	JSON_FIELD(struct nri_status, since, "connected_since", JSON_STRING),
	JSON_FIELD(struct nri_status, trouble, "trouble", JSON_STRING),
	JSON_FIELD(struct nri_status, runtime, "runtime", JSON_STRING),
	JSON_FIELD(struct nri_status, version, "version", JSON_STRING),
	JSON_FIELD(struct nri_status, answers.n, "answers", JSON_NUMBER),
	JSON_FIELD(struct nri_status, answers.us, "answers_us", JSON_NUMBER),
	JSON_FIELD(struct nri_status, answers.slowest_us, "slowest_us", JSON_NUMBER),
	JSON_FIELD(struct nri_status, unseen, "unseen", JSON_NUMBER),
	{0},
};

const char *nri_status_text(struct arena *arena, const struct nri_status *status, size_t *ret_len)
{
	return json_fields_write(arena, fields, status, ret_len);
}

void nri_status_name(const char *instance, char name[NRI_STATUS_NAME_SIZE])
{
	(void)snprintf(name, NRI_STATUS_NAME_SIZE, "nri%s%.*s.json", instance ? "-" : "",
		       NRI_INSTANCE_MAX, instance ? instance : "");
}

int nri_status_read(struct arena *arena, int sysroot, const char *name,
		    struct nri_status *ret_status, struct err *err)
{
	char what[sizeof("/" NRI_STATUS_DIR "/") + NRI_STATUS_NAME_SIZE];
	struct nri_status status = {0};
	struct fs_text text;
	cleanup_fd fd = -1;

	(void)snprintf(what, sizeof(what), "/" NRI_STATUS_DIR "/%s", name);
	fd = tree_open_stored(sysroot, what + 1);
	if (fd == -EINVAL)
		return err_set(err, "%s: not a regular file", what);
	if (fd < 0) {
		(void)err_sys(err, -fd, "%s", what);
		return fd == -ENOENT ? -ENOENT : -1;
	}
	if (fs_read_regular(arena, fd, NRI_STATUS_SIZE_MAX, what, &text, err) < 0 ||
	    json_fields_read(arena, fields, what, &text, &status, err) < 0)
		return -1;
	*ret_status = status;
	return 0;
}

/* ---- the process ---- */

uint64_t nri_status_start_of(int64_t pid)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
	return process_stat_read(AT_FDCWD, path, PROCESS_STAT_START);
}

/* ---- those of the node ---- */

/* By the name that the process gives itself; another user's is not the node's. */
static bool is_named_so(int sysroot, const char *pid)
{
	char path[64];
	char name[sizeof(NRI_NAME)];
	struct stat st;

	/* The directory belongs to the effective user, dumpable or not (the kernel's
	 * task_dump_owner). */
	(void)snprintf(path, sizeof(path), "proc/%.20s", pid);
	if (fstatat(sysroot, path, &st, 0) < 0 || st.st_uid != geteuid())
		return false;
	(void)snprintf(path, sizeof(path), "proc/%.20s/comm", pid);
	return fs_read_line(sysroot, path, name, sizeof(name)) > 0 && strcmp(name, NRI_NAME) == 0;
}

static int open_parent(int root, const char *path)
{
	static char parent[PATH_MAX];

	(void)snprintf(parent, sizeof(parent), "%.*s", (int)(text_base_name(path) - path), path);
	return fs_open(root, parent, O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);
}

/*
 * The root of any container may take the name, and write a file. What it cannot have, unless it was
 * given it, is the directory of the node's NRI socket, which is root's alone (containerd/nri makes
 * it so, pkg/adaptation): with that, it may change every container of the node.
 */
static bool has_nodes_socket(int sysroot, int root, const char *socket)
{
	cleanup_fd own = socket ? open_parent(root, socket) : -1;
	cleanup_fd nodes = socket ? open_parent(sysroot, socket) : -1;
	struct stat st;

	return own >= 0 && nodes >= 0 && fs_same_file(own, nodes) && fstat(nodes, &st) == 0 &&
	       st.st_uid == geteuid() && !(st.st_mode & (S_IRWXG | S_IRWXO));
}

/* What is found, the better the higher */
enum rank {
	RANK_NONE,
	RANK_ENDED,
	RANK_HANGS,
	RANK_UNCONNECTED,
	RANK_SERVES,
};

/* Many more than a node has plugins */
#define FILES_MAX 16

struct search {
	struct arena *arena;
	int sysroot;
	bool recorded;
	enum rank rank;
	struct nri_status status; /* the best */
	unsigned n_found;
	unsigned n_connected;
};

static void offer(struct search *search, const struct nri_status *found, bool runs)
{
	/* Older than a plugin that works lets it become */
	bool hangs = !search->recorded && found->alive_ms &&
		     clock_ms() - found->alive_ms > NRI_STATUS_OLD_MS;
	enum rank rank = !runs          ? RANK_ENDED
			 : hangs        ? RANK_HANGS
			 : found->since ? RANK_SERVES
					: RANK_UNCONNECTED;

	search->n_found++;
	search->n_connected += rank == RANK_SERVES && !found->trouble;
	if (rank <= search->rank)
		return;
	search->rank = rank;
	search->status = *found;
}

/*
 * The files below a root: the node's, or that of a container, whose process is pid and started then
 * (0: the node's). In a container its process id is another, which is not told; the time when it
 * started is the same. What a container has there that is no status is not the node's matter.
 */
static int look_below(struct search *search, int root, int64_t pid, uint64_t started,
		      struct err *err)
{
	const char **names;
	int n = tree_list(search->arena, root, NRI_STATUS_DIR, ".json", &names);

	if (n < 0)
		return err_memory(err);
	for (int i = 0; i < n && i < FILES_MAX; i++) {
		struct nri_status found = {0};
		int status;

		if (!text_starts_with(names[i], "nri") || strlen(names[i]) >= NRI_STATUS_NAME_SIZE)
			continue;
		status = nri_status_read(search->arena, root, names[i], &found, err);
		if (status < 0 && status != -ENOENT && (!started || err->memory))
			return -1;
		if (status < 0)
			continue;
		if (!started)
			offer(search, &found,
			      search->recorded ||
				      (found.started &&
				       nri_status_start_of(found.pid) == found.started));
		else if (found.started == started &&
			 has_nodes_socket(search->sysroot, root, found.socket)) {
			found.pid = pid;
			offer(search, &found, true);
		}
	}
	return 0;
}

static int look_into_container(struct search *search, const char *pid, struct err *err)
{
	char path[64];
	cleanup_fd root = -1;
	uint64_t started;

	(void)snprintf(path, sizeof(path), "proc/%.20s/root", pid);
	root = openat(search->sysroot, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	(void)snprintf(path, sizeof(path), "proc/%.20s/stat", pid);
	started = process_stat_read(search->sysroot, path, PROCESS_STAT_START);
	return root < 0 || !started || fs_same_file(root, search->sysroot)
		       ? 0
		       : look_below(search, root, strtoll(pid, NULL, 10), started, err);
}

static int look_into_containers(struct search *search, struct err *err)
{
	cleanup_dir *dir = NULL;
	const struct dirent *entry;

	if (tree_open_listing(search->sysroot, "proc", &dir) < 0)
		return err_memory(err);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    is_named_so(search->sysroot, entry->d_name) &&
		    look_into_container(search, entry->d_name, err) < 0)
			return -1;
	}
	return 0;
}

/*
 * In a container of hostPID the first process has another root, or one that may not be looked at
 * without its capabilities (the kernel's ptrace_may_access). Where process ids are a container's
 * own, its first process has its root, and nobody else is to be seen.
 */
static bool is_first_process_root(int sysroot)
{
	cleanup_fd first = openat(sysroot, "proc/1/root", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return first >= 0 && fs_same_file(first, sysroot);
}

int nri_status_find(struct arena *arena, int sysroot, bool recorded, struct nri_status *ret_status,
		    struct err *err)
{
	struct search search = {.arena = arena, .sysroot = sysroot, .recorded = recorded};

	if (look_below(&search, sysroot, 0, 0, err) < 0)
		return -1;
	if ((recorded || is_first_process_root(sysroot)) && look_into_containers(&search, err) < 0)
		return -1;
	if (!search.n_found) {
		(void)err_set(err, "no " NRI_NAME " runs");
		return -ENOENT;
	}
	*ret_status = search.status;
	ret_status->n_found = search.n_found;
	ret_status->n_connected = search.n_connected;
	return search.rank == RANK_ENDED ? -ESRCH : search.rank == RANK_HANGS ? -ETIMEDOUT : 0;
}
