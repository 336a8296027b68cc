/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/pinned.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/fs.h"
#include "lib/files.h"
#include "lib/limits.h"

#define PROC_FILE_MAX (64 * 1024)

struct pinned pinned_container(struct arena *arena, int root, int64_t pid)
{
	const char *path = arena_printf(arena, "proc/%" PRId64 "/cgroup", pid);
	struct fs_text text;

	if (!path || tree_read(arena, root, path, PROC_FILE_MAX, &text) < 0)
		return (struct pinned){0};
	return (struct pinned){.cgroup = text.bytes};
}

/* "VmPin:  512 kB"; 0 if absent (kernel threads) */
static uint64_t bytes_of(const char *status, const char *name)
{
	const char *line = strstr(status, name);
	uint64_t kib = 0;

	return line && sscanf(line + strlen(name), " %" SCNu64, &kib) == 1 ? kib * 1024 : 0;
}

/* In or below the container's cgroup; for cgroup v1 the same list */
static bool is_in(const char *cgroup, const char *container)
{
	size_t len = strcspn(container, "\n");

	if (strncmp(container, "0::", 3) != 0 || container[len + (container[len] == '\n')])
		return strcmp(cgroup, container) == 0;
	/* "0::/" is our cgroup namespace; outside begins with "/.." (cgroup_namespaces(7)). */
	if (container[len - 1] == '/')
		return strncmp(cgroup, "0::/..", 6) != 0;
	return strncmp(cgroup, container, len) == 0 && (cgroup[len] == '/' || cgroup[len] == '\n');
}

/* The innermost of nested containers */
static struct pinned *find_owner(struct pinned *items, size_t n, const char *cgroup)
{
	struct pinned *owner = NULL;

	for (size_t i = 0; i < n; i++) {
		if (is_in(cgroup, items[i].cgroup) &&
		    (!owner || strlen(items[i].cgroup) > strlen(owner->cgroup)))
			owner = &items[i];
	}
	return owner;
}

static void add_process(struct arena *arena, int root, const char *pid, struct pinned *items,
			size_t n)
{
	const char *path = arena_printf(arena, "proc/%s/cgroup", pid);
	const char *status_path = arena_printf(arena, "proc/%s/status", pid);
	struct pinned *owner;
	struct fs_text text;
	uint64_t bytes;

	if (!path || !status_path || tree_read(arena, root, status_path, PROC_FILE_MAX, &text) < 0)
		return;
	bytes = bytes_of(text.bytes, "\nVmPin:") + bytes_of(text.bytes, "\nVmLck:");
	if (!bytes || tree_read(arena, root, path, PROC_FILE_MAX, &text) < 0)
		return;
	owner = find_owner(items, n, text.bytes);
	if (!owner)
		return;
	owner->bytes += bytes;
	owner->processes++;
}

int pinned_sum(int root, struct pinned *items, size_t n)
{
	cleanup_arena arena = {0};
	const char **names;
	int n_names = tree_list(&arena, root, "proc", "", &names);

	for (int i = 0; i < n_names; i++) {
		cleanup_arena one = {0};

		if (names[i][strspn(names[i], "0123456789")])
			continue;
		add_process(&one, root, names[i], items, n);
		arena.failed |= one.failed;
	}
	return n_names < 0 || arena.failed ? -1 : 0;
}

/* The memory cgroup bounds pinned pages. */
static const char *bound_text(struct arena *arena, int root, const char *cgroup)
{
	char max[32];
	char size[LIMITS_TEXT_SIZE];
	uint64_t limit;
	const char *path = strncmp(cgroup, "0::/", 4) == 0
				   ? arena_printf(arena, "sys/fs/cgroup%.*s/memory.max",
						  (int)strcspn(cgroup + 3, "\n"), cgroup + 3)
				   : NULL;

	if (!path || tree_read_line(root, path, max, sizeof(max)) <= 0)
		return "its memory limit is not seen here";
	if (strcmp(max, "max") == 0)
		return "no memory limit bounds it";
	if (sscanf(max, "%" SCNu64, &limit) != 1)
		return "its memory limit is not seen here";
	return arena_printf(arena, "its memory limit is %s", limits_text(limit, size));
}

const char *pinned_text(struct arena *arena, int root, const struct pinned *pinned)
{
	const char *bound = bound_text(arena, root, pinned->cgroup);
	char size[LIMITS_TEXT_SIZE];

	return bound ? arena_printf(arena,
				    "%s by %zu process%s (VmPin and VmLck of /proc/PID/status); %s",
				    limits_text(pinned->bytes, size), pinned->processes,
				    pinned->processes == 1 ? "" : "es", bound)
		     : NULL;
}
