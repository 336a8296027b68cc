/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/target/location.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"

#define ENVIRON_MAX (1024 * 1024)

uint64_t location_namespace(int proc, const char *name)
{
	char path[32];
	char link[64];
	const char *number;

	(void)snprintf(path, sizeof(path), "ns/%s", name);
	if (proc < 0 || fs_read_link(proc, path, link, sizeof(link)) < 0)
		return 0;
	number = strchr(link, '['); /* "pid:[4026531836]" */
	return number ? strtoull(number + 1, NULL, 10) : 0;
}

static bool is_other(uint64_t namespace, uint64_t first)
{
	return namespace != 0 && namespace != first;
}

/* The kubelet puts it into every container; a shell on the node does not have it. */
static bool has_kubernetes(struct arena *arena, int proc)
{
	struct fs_text text;

	if (proc < 0 || tree_read(arena, proc, "environ", ENVIRON_MAX, &text) < 0)
		return false;
	for (size_t at = 0; at < text.len; at += strlen(text.bytes + at) + 1) {
		if (text_starts_with(text.bytes + at, "KUBERNETES_SERVICE_HOST="))
			return true;
	}
	return false;
}

/*
 * No single sign is enough: a VM may be made from an image that has /.dockerenv, a pod may have the
 * node's pid namespace, and a shell of `oc debug node` stands in the node's root.
 */
int location_find(struct arena *arena, int root, struct location *ret_location)
{
	cleanup_fd proc = tree_open_dir(root, "proc/self");
	uint64_t pid = location_namespace(proc, "pid");
	uint64_t cgroup = location_namespace(proc, "cgroup");
	bool other_pid = is_other(pid, FIRST_PID_NAMESPACE);
	bool other_cgroup = is_other(cgroup, FIRST_CGROUP_NAMESPACE);
	struct location location = {.container = true};

	if (tree_exists(root, "run/.containerenv"))
		location.evidence = "/run/.containerenv is there";
	else if ((other_pid || other_cgroup) && tree_exists(root, ".dockerenv"))
		location.evidence = "/.dockerenv is there, in a namespace of its own";
	else if (other_pid)
		location.evidence = arena_printf(
			arena, "/proc/self/ns/pid is pid:[%" PRIu64 "], not the node's", pid);
	else if (other_cgroup && has_kubernetes(arena, proc))
		location.evidence =
			"KUBERNETES_SERVICE_HOST is set, in a cgroup namespace of its own";
	else
		location = (struct location){
			.evidence =
				pid ? "no /run/.containerenv; /proc/self/ns/pid is the first one"
				    : "no /run/.containerenv; /proc/self/ns/pid cannot be read: "
				      "taken for the node"};
	*ret_location = location;
	return location.evidence ? 0 : -1;
}
