/* SPDX-License-Identifier: Apache-2.0 */
/* check.h declares it. VmPin counts each registration, whatever the limit
 * (drivers/infiniband/core/umem.c, ib_umem_get); VmLck: VFIO, mlock(2) (mm/util.c,
 * __account_locked_vm). DMA-BUF is in neither. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/fs.h"
#include "doctor/check/check.h"
#include "lib/files.h"
#include "lib/limits.h"

#define PROC_FILE_MAX (64 * 1024)

struct pinned {
	uint64_t bytes;
	size_t processes; /* that pin memory */
};

/* "VmPin:  512 kB"; 0 if absent, as for a kernel thread */
static uint64_t bytes_of(const char *status, const char *name)
{
	const char *line = strstr(status, name);
	uint64_t kib = 0;

	return line && sscanf(line + strlen(name), " %" SCNu64, &kib) == 1 ? kib * 1024 : 0;
}

/* In or below the target's cgroup; for cgroup v1 the whole list must match. */
static bool is_in(const char *cgroup, const char *target)
{
	size_t len = strcspn(target, "\n");

	if (strncmp(target, "0::", 3) != 0 || target[len + (target[len] == '\n')])
		return strcmp(cgroup, target) == 0;
	/* "/..": outside of the cgroup namespace that we see it from (cgroup_namespaces(7)) */
	return strncmp(cgroup, target, len) == 0 && strncmp(cgroup, "0::/..", 6) != 0 &&
	       (target[len - 1] == '/' || cgroup[len] == '/' || cgroup[len] == '\n');
}

static void add_process(const struct doctor *doctor, struct arena *arena, const char *pid,
			const char *cgroup, struct pinned *pinned)
{
	const char *path = arena_printf(arena, "proc/%s/cgroup", pid);
	const char *status_path = arena_printf(arena, "proc/%s/status", pid);
	struct fs_text text;
	uint64_t bytes;

	if (!path || !status_path ||
	    tree_read(arena, doctor->node.root, path, PROC_FILE_MAX, &text) < 0 ||
	    !is_in(text.bytes, cgroup) ||
	    tree_read(arena, doctor->node.root, status_path, PROC_FILE_MAX, &text) < 0)
		return;
	bytes = bytes_of(text.bytes, "\nVmPin:") + bytes_of(text.bytes, "\nVmLck:");
	pinned->bytes += bytes;
	pinned->processes += bytes > 0;
}

static int sum_up(const struct doctor *doctor, struct arena *arena, const char *cgroup,
		  struct pinned *ret)
{
	const char **names;
	int n = tree_list(arena, doctor->node.root, "proc", "", &names);

	*ret = (struct pinned){0};
	for (int i = 0; i < n; i++) {
		cleanup_arena one = {0};

		if (names[i][strspn(names[i], "0123456789")])
			continue;
		add_process(doctor, &one, names[i], cgroup, ret);
		arena->failed |= one.failed;
	}
	return n < 0 || arena->failed ? -1 : 0;
}

#define BOUND_SIZE (LIMITS_TEXT_SIZE + 32)

/* Pinned pages are charged to the memory cgroup, which bounds them. */
static void read_bound(const struct doctor *doctor, struct arena *arena, const char *cgroup,
		       char bound[BOUND_SIZE])
{
	char max[32];
	char size[LIMITS_TEXT_SIZE];
	uint64_t limit;
	const char *path = strncmp(cgroup, "0::/", 4) == 0
				   ? arena_printf(arena, "sys/fs/cgroup%.*s/memory.max",
						  (int)strcspn(cgroup + 3, "\n"), cgroup + 3)
				   : NULL;

	snprintf(bound, BOUND_SIZE, "its memory limit is not seen here");
	if (!path || tree_read_line(doctor->node.root, path, max, sizeof(max)) <= 0)
		return;
	if (strcmp(max, "max") == 0)
		snprintf(bound, BOUND_SIZE, "no memory limit bounds it");
	else if (sscanf(max, "%" SCNu64, &limit) == 1)
		snprintf(bound, BOUND_SIZE, "its memory limit is %s", limits_text(limit, size));
}

int check_pinned(const struct doctor *doctor, struct findings *findings)
{
	struct fs_text cgroup;
	struct pinned pinned;
	char size[LIMITS_TEXT_SIZE];
	char bound[BOUND_SIZE];

	if (!doctor->target.container || doctor->target.proc < 0 ||
	    target_read(findings->arena, &doctor->target, "cgroup", PROC_FILE_MAX, &cgroup) < 0)
		return 0;
	if (sum_up(doctor, findings->arena, cgroup.bytes, &pinned) < 0)
		return err_memory(&findings->err);
	read_bound(doctor, findings->arena, cgroup.bytes, bound);
	if (findings_add(findings, "pinned", NULL, FINDING_OK, NULL,
			 "%s by %zu process%s (VmPin and VmLck of /proc/PID/status); %s",
			 limits_text(pinned.bytes, size), pinned.processes,
			 pinned.processes == 1 ? "" : "es", bound) < 0)
		return -1;
	return findings_add_values(findings, "bytes=%" PRIu64, pinned.bytes);
}
