/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/alive.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"

/* kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podUID.slice/cri-containerd-ID.scope,
 * and a kubelet with a --cgroup-root has some more. A container may make any number below its own.
 */
#define DEPTH_MAX 7
#define DIRECTORIES_MAX 20000

struct search {
	int root;
	const char *id;
	size_t n; /* directories so far */
};

static bool is_named(const char *name, const char *id)
{
	const char *at = strstr(name, id);
	size_t len = strlen(id);

	return at && (at == name || at[-1] == '-') && (!at[len] || strcmp(at + len, ".scope") == 0);
}

/* Returns 1: there is one; 0: there is none; -1: that cannot be told. */
static int look_in(struct search *search, const char *path, int depth)
{
	cleanup_dir *dir = NULL;
	const struct dirent *entry;
	char below[PATH_MAX];
	int found = 0;

	if (tree_open_listing(search->root, path, &dir) < 0 || !dir)
		return depth ? 0 : -1;
	while (found == 0 && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if (is_named(entry->d_name, search->id))
			return 1;
		if (search->n++ >= DIRECTORIES_MAX)
			return -1;
		if (depth < DEPTH_MAX && snprintf(below, sizeof(below), "%s/%s", path,
						  entry->d_name) < (int)sizeof(below))
			found = look_in(search, below, depth + 1);
	}
	return found;
}

bool alive_container(const char *sysroot, const char *id)
{
	/* cgroup v1 has a tree for each controller, v2 one for all. */
	static const char *const tops[] = {"sys/fs/cgroup/pids", "sys/fs/cgroup"};
	struct err ignored;
	cleanup_fd root = tree_open_root(sysroot, &ignored);
	struct search search = {root, id, 0};
	const char *top = root >= 0 && tree_exists(root, tops[0]) ? tops[0] : tops[1];

	return root < 0 || look_in(&search, top, 0) != 0;
}
