/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/nri_status.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/base/trust.h"
#include "lib/files.h"

const struct json_field nri_status_fields[] = {
	JSON_FIELD(struct nri_status, pid, "pid", JSON_NUMBER),
	JSON_FIELD(struct nri_status, alive_ms, "alive_ms", JSON_NUMBER),
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

/* -1: may not look */
static int has_root(int root, int64_t pid)
{
	char path[64];
	cleanup_fd its = -1;

	snprintf(path, sizeof(path), "proc/%" PRId64 "/root", pid);
	its = openat(root, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return its < 0 ? -1 : fs_same_file(its, root);
}

/* The lock's holder; 0: none, -1: unknown. With pid 1's root all are known, in a container its own:
 * other pods show no pid or, with hostPID, another root. */
static int64_t find_holder(int root, int dir, const char *name)
{
	char path[264]; /* NAME_MAX, suffix, NUL */
	struct flock lock = {.l_type = F_WRLCK};
	cleanup_fd fd = -1;

	snprintf(path, sizeof(path), "%s" NRI_STATUS_LOCK, name);
	fd = fs_open_regular(dir, path);
	if (fd < 0 || fcntl(fd, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK)
		return 0;
	return lock.l_pid > 0 && (has_root(root, 1) == 1 || has_root(root, lock.l_pid) != 0)
		       ? lock.l_pid
		       : -1;
}

int nri_status_find(struct arena *arena, int sysroot, bool recorded, struct nri_status *ret_status,
		    struct err *err)
{
	struct nri_status best = {.state = NRI_ABSENT};
	unsigned n_found = 0;
	unsigned n_connected = 0;
	cleanup_fd dir = trust_open_dir(sysroot, NRI_STATUS_DIR, err);
	const char **names;
	int n = dir < 0 ? 0 : tree_list(arena, dir, ".", ".json", &names);

	if (n < 0)
		return err_memory(err);
	if (dir < 0 && dir != -ENOENT)
		return -1;
	for (int i = 0; i < n; i++) {
		struct nri_status found = {0};
		int64_t holder = recorded ? 0 : find_holder(sysroot, dir, names[i]);
		int status = holder < 0 ? 0
					: json_fields_read(arena, nri_status_fields, dir,
							   NRI_STATUS_DIR, names[i], &found, err);

		if (status < 0)
			return -1;
		if (status == 0)
			continue;
		if (!recorded && !holder)
			found.state = NRI_ENDED;
		else if (!recorded && clock_ms() - found.alive_ms > NRI_STATUS_OLD_MS)
			found.state = NRI_HANGS;
		else
			found.state = found.since ? NRI_SERVES : NRI_UNCONNECTED;
		found.pid = holder ? holder : found.pid;
		n_found++;
		n_connected += found.state == NRI_SERVES;
		if (found.state > best.state)
			best = found;
	}
	*ret_status = best;
	ret_status->n_found = n_found;
	ret_status->n_connected = n_connected;
	return 0;
}
