/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/node/node.h"
#include "core/process/process.h"
#include "core/spec/spec.h"
#include "explain/bundle.h"
#include "lib/files.h"

#define ENVIRON_MAX (1024 * 1024)

uint64_t location_namespace(int proc, const char *name)
{
	char path[32];
	char link[64];
	const char *number;

	snprintf(path, sizeof(path), "ns/%s", name);
	if (proc < 0 || fs_read_link(proc, path, link, sizeof(link)) < 0)
		return 0;
	number = strchr(link, '['); /* "pid:[4026531836]" */
	return number ? strtoull(number + 1, NULL, 10) : 0;
}

static bool is_other(uint64_t namespace, uint64_t first)
{
	return namespace != 0 && namespace != first;
}

/* The kubelet sets it in containers; node shells lack it. */
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

/* VM images may have /.dockerenv, pods the node's pid namespace, `oc debug node` its root. */
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

#define CGROUP_MAX (64 * 1024)
#define STATUS_MAX (64 * 1024)

void target_close(struct target *target)
{
	cleanup_close_fd(&target->proc);
	cleanup_close_fd(&target->root);
}

int target_read(struct arena *arena, const struct target *target, const char *name, size_t max,
		struct fs_text *ret_text)
{
	return target->proc < 0 ? -ESRCH : tree_read(arena, target->proc, name, max, ret_text);
}

int64_t target_status(struct arena *arena, const struct target *target, const char *name, int base)
{
	struct fs_text text;
	char *line;

	if (target_read(arena, target, "status", STATUS_MAX, &text) < 0)
		return -1;
	while ((line = strsep(&text.bytes, "\n"))) {
		if (text_starts_with(line, name))
			return strtoll(line + strlen(name), NULL, base);
	}
	return -1;
}

const char *target_getenv(const struct target *target, const char *name)
{
	return spec_getenv(&(struct spec){.env = target->env, .n_env = target->n_env}, name);
}

int target_enter_network(const struct target *target)
{
	cleanup_fd netns = -1;

	if (!target->other_netns)
		return 0;
	netns = openat(target->proc, "ns/net", O_RDONLY | O_CLOEXEC);
	if (netns < 0 || setns(netns, CLONE_NEWNET) < 0)
		return -errno;
	return 0;
}

struct node target_node(const struct target *target)
{
	cleanup_fd sys = target->root < 0 ? -1 : tree_open_dir(target->root, "sys");
	struct node node = NODE_NONE;
	struct statfs fs;

	if (sys >= 0 && fstatfs(sys, &fs) == 0 && fs.f_type == SYSFS_MAGIC)
		node.root = target->root;
	return node;
}

static int read_environ(struct arena *arena, struct target *target)
{
	struct fs_text text;
	size_t room = 0;

	if (target_read(arena, target, "environ", ENVIRON_MAX, &text) < 0)
		return 0;
	for (size_t at = 0; at < text.len; at += strlen(text.bytes + at) + 1) {
		const char **entry = arena_push(arena, target->env, target->n_env, room);

		if (!entry)
			return -1;
		*entry = text.bytes + at;
	}
	target->env_path = arena_printf(arena, "%s/environ", target->proc_path);
	return target->env_path ? 0 : -1;
}

static int open_process(struct arena *arena, int root, bool recorded, struct target *target)
{
	cleanup_fd self = tree_open_dir(root, "proc/self");
	uint64_t ours = location_namespace(self, "net");
	uint64_t our_mounts = location_namespace(self, "mnt");
	uint64_t mounts;

	target->proc_path =
		target->pid ? arena_printf(arena, "/proc/%" PRId64, target->pid) : "/proc/self";
	if (!target->proc_path)
		return -1;
	target->proc = tree_open_dir(root, target->proc_path);
	/* Only here is the magic link /proc/PID/root followed; recorded trees have a directory. */
	if (recorded && target->proc >= 0)
		target->root = tree_open_dir(target->proc, "root");
	else if (target->proc >= 0)
		target->root = openat(target->proc, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (target->root < 0 && target->pid == 0 && !target->id)
		target->root = openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	target->netns = location_namespace(target->proc, "net");
	target->other_netns = !recorded && target->netns && ours && target->netns != ours;
	/* 0: another user's process (ptrace_may_access) */
	mounts = location_namespace(target->proc, "mnt");
	if (target->pid && mounts && our_mounts && mounts != our_mounts)
		target->container = true;
	return read_environ(arena, target);
}

static void read_spec(struct arena *arena, int root, const char *path, struct target *target)
{
	struct fs_text text;
	struct err ignored;

	if (!path || tree_read(arena, root, path, SPEC_SIZE_MAX, &text) < 0 ||
	    spec_parse(arena, path, text.bytes, text.len, &target->spec, &ignored) < 0)
		return;
	target->has_spec = true;
	target->spec_path = path;
}

static int find_container(struct arena *arena, int root, const char *id, struct target *target,
			  struct err *err)
{
	struct bundle bundle;

	if (bundle_find(arena, root, id, &bundle, err) < 0)
		return -1;
	target->container = true;
	target->id = bundle.id;
	target->name = arena_printf(arena, "container %.12s", bundle.id);
	if (!target->name)
		return err_memory(err);
	if (bundle_has_process(arena, root, &bundle))
		target->pid = target->main_pid = bundle.pid;
	read_spec(arena, root, bundle.config, target);
	if (!target->pid && !target->has_spec)
		return err_set(err,
			       "container %s does not run, and has no config.json here; start it, "
			       "or use --pid",
			       bundle.id);
	return 0;
}

static bool shares_pids(int root, int64_t a, int64_t b)
{
	char path[32];
	cleanup_fd one = -1;
	cleanup_fd other = -1;
	uint64_t namespace;

	snprintf(path, sizeof(path), "proc/%" PRId64, a);
	one = tree_open_dir(root, path);
	snprintf(path, sizeof(path), "proc/%" PRId64, b);
	other = tree_open_dir(root, path);
	namespace = location_namespace(one, "pid");
	return namespace && namespace == location_namespace(other, "pid");
}

/* Cgroup ids can be forged: the pid namespace must confirm. */
static void find_container_of_process(struct arena *arena, int root, struct target *target)
{
	const char *path = arena_printf(arena, "proc/%" PRId64 "/cgroup", target->pid);
	const char *id = NULL;
	struct fs_text text;
	struct bundle bundle;
	struct err ignored;

	if (path && tree_read(arena, root, path, CGROUP_MAX, &text) == 0)
		id = cgroup_find_id(text.bytes, text.bytes + text.len);
	if (id)
		id = arena_strndup(arena, id, CGROUP_ID_LENGTH);
	if (!id || bundle_find(arena, root, id, &bundle, &ignored) < 0 ||
	    !bundle_has_process(arena, root, &bundle) ||
	    !shares_pids(root, target->pid, bundle.pid))
		return;
	target->main_pid = bundle.pid;
	read_spec(arena, root, bundle.config, target);
}

static int find_process(struct arena *arena, int root, int64_t pid, struct target *target,
			struct err *err)
{
	char path[32];

	snprintf(path, sizeof(path), "proc/%" PRId64, pid);
	if (!tree_exists(root, path))
		return err_set(err, "no process %" PRId64 " (/%s)", pid, path);
	target->pid = pid;
	target->name = arena_printf(arena, "process %" PRId64, pid);
	find_container_of_process(arena, root, target);
	return target->name ? 0 : err_memory(err);
}

int target_find(struct arena *arena, int root, bool recorded, const struct location *location,
		const struct target_choice *choice, struct target *ret_target, struct err *err)
{
	cleanup_target target = TARGET_NONE;

	target.container = location->container;
	target.name = "this process";
	if (choice->container) {
		if (find_container(arena, root, choice->container, &target, err) < 0)
			return -1;
	} else if (choice->pid && find_process(arena, root, choice->pid, &target, err) < 0) {
		return -1;
	}
	if ((target.pid || !target.id) && open_process(arena, root, recorded, &target) < 0)
		return err_memory(err);
	if (!target.env_path && target.has_spec) {
		target.env = target.spec.env;
		target.n_env = target.spec.n_env;
		target.env_path = target.spec_path;
	}
	*ret_target = target;
	target = TARGET_NONE; /* now the caller's */
	return 0;
}
