/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/removal/conmon.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "admin/engine/crio.h"
#include "admin/engine/engine.h"
#include "admin/removal/needs.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/spec/spec.h"
#include "lib/files.h"

#define COMMAND_LINE_MAX (64 * 1024)
#define STATUS_MAX (16 * 1024)

/* Arguments (conmon.8) */
struct monitor {
	const char *id;
	const char *runtime;
	const char *podman; /* its podman's --runtime, or NULL */
};

static bool is_flag(const char *arg, size_t len, const char *name)
{
	return strlen(name) == len && memcmp(arg, name, len) == 0;
}

/* text: /proc/PID/cmdline */
static struct monitor read_monitor_arguments(const struct fs_text *text)
{
	struct monitor monitor = {0};
	const char *end = text->bytes + text->len;
	const char *value;
	bool runtime_follows = false;

	for (const char *arg = text->bytes; arg < end; arg += strlen(arg) + 1) {
		size_t len = strcspn(arg, "=");
		bool is_id = is_flag(arg, len, "-c") || is_flag(arg, len, "--cid");
		bool is_runtime = is_flag(arg, len, "-r") || is_flag(arg, len, "--runtime");
		bool is_exit_arg = is_flag(arg, len, "--exit-command-arg");

		/* Do not take the value of --runtime-arg for an option. */
		if (!is_id && !is_runtime && !is_exit_arg && !is_flag(arg, len, "--runtime-arg"))
			continue;
		value = arg[len] ? arg + len + 1 : (arg += strlen(arg) + 1);
		if (value >= end)
			break;
		if (is_id)
			monitor.id = value;
		if (is_runtime)
			monitor.runtime = value;
		if (is_exit_arg && runtime_follows && !monitor.podman)
			monitor.podman = value;
		if (is_exit_arg)
			runtime_follows = strcmp(value, "--runtime") == 0;
	}
	return monitor;
}

/* podman looks up a runtime's name in containers.conf each time, and uses another if ours is
 * gone; a path is fixed. */
static bool is_fixed(const struct monitor *monitor)
{
	return !monitor->podman || strchr(monitor->podman, '/');
}

static void judge_monitor(struct needs *needs, const struct monitor *monitor)
{
	if (monitor->id && monitor->runtime && is_shim_name(monitor->runtime) && is_fixed(monitor))
		needs_say(
			needs,
			"container %.64s runs through %.128s: stop and remove the container first",
			monitor->id, monitor->runtime);
}

/* Returns what follows name, or NULL. */
static const char *find_line(const char *text, const char *name)
{
	const char *found = strstr(text, name);

	return found ? found + strlen(name) : NULL;
}

/*
 * Root in a container without a user namespace is the node's root and may call itself conmon, but
 * has a pid in each pid namespace (the kernel's fs/proc/array.c, proc_pid_status); a monitor has
 * one. The real uid, first in the Uid line, reveals a user who runs a setuid root program as
 * conmon.
 */
static bool is_of_others(int process)
{
	cleanup_arena arena = {0};
	cleanup_fd fd = fs_open_regular(process, "status");
	struct fs_text text = {0};
	struct err ignored;
	const char *pids;
	const char *user;

	if (fd < 0 || fs_read_up_to(&arena, fd, STATUS_MAX, "status", &text, &ignored) < 0)
		return false;
	pids = find_line(text.bytes, "\nNSpid:\t");
	user = find_line(text.bytes, "\nUid:\t");
	return (pids && pids[strspn(pids, "0123456789")] == '\t') ||
	       (user && !text_starts_with(user, "0\t"));
}

/* Trust only root's monitors: root can do everything else anyway. */
static int open_monitor(int proc, const char *pid)
{
	cleanup_fd dir = fs_open(proc, pid, O_PATH | O_DIRECTORY, RESOLVE_BENEATH);
	char name[32];
	struct stat st;

	if (dir < 0 || fstat(dir, &st) < 0 || st.st_uid != 0 ||
	    fs_read_line(dir, "comm", name, sizeof(name)) < 0 || strcmp(name, "conmon") != 0 ||
	    is_of_others(dir))
		return -1;
	return fs_open_regular(dir, "cmdline");
}

/* fd: its command line */
static void look_at_process(struct needs *needs, int fd, const char *pid)
{
	struct fs_text text;
	struct monitor monitor;
	struct err gone;

	if (fs_read_up_to(needs->arena, fd, COMMAND_LINE_MAX, "cmdline", &text, &gone) < 0) {
		needs->arena->failed |= gone.errnum == ENOMEM;
		return;
	}
	monitor = read_monitor_arguments(&text);
	if (text.len > COMMAND_LINE_MAX && (!monitor.id || !monitor.runtime))
		needs_say(needs,
			  "/proc/%.20s/cmdline: longer than %d bytes, so it is not known whether "
			  "this conmon's container needs the shim",
			  pid, COMMAND_LINE_MAX);
	judge_monitor(needs, &monitor);
}

void find_conmon_users(struct needs *needs)
{
	cleanup_dir *dir = needs_open(needs, "proc");
	const char *pid;

	while ((pid = needs_next(needs, dir, "/proc"))) {
		cleanup_fd fd = -1;

		if (pid[0] < '1' || pid[0] > '9')
			continue;
		fd = open_monitor(dirfd(dir), pid);
		if (fd >= 0)
			look_at_process(needs, fd, pid);
	}
}

/* Handlers with the shim, and ours whose drop-in was removed */
static bool is_monitor_of_shim(const struct crio *crio, const char *called)
{
	const struct crio_handler *found = crio_find_handler(crio, called);

	if (found)
		return is_shim_name(found->runtime_path);
	return names_handler(called);
}

/* CRI-O keeps these in a sandbox's config.json across restarts. */
static void look_at_pod(struct needs *needs, const char *dir, const char *id)
{
	static const char *const keys[] = {"io.kubernetes.cri-o.ContainerType",
					   "io.kubernetes.cri-o.RuntimeHandler",
					   "io.kubernetes.pod.namespace", "io.kubernetes.pod.name"};
	cleanup_arena arena = {0};
	char *path = arena_printf(&arena, "%s/%s/userdata/config.json", dir, id);
	const struct json_node *annotations;
	const char *of[4];
	struct json_document doc;

	if (!needs_read_json(needs, &arena, path, SPEC_SIZE_MAX, &doc))
		return;
	annotations = json_get(&doc, doc.root, "annotations", JSON_OBJECT);
	for (size_t i = 0; i < 4; i++)
		of[i] = json_string(&doc, json_get(&doc, annotations, keys[i], JSON_STRING));
	if (!doc.failed && of[0] && strcmp(of[0], "sandbox") == 0 && of[1] &&
	    is_monitor_of_shim(&needs->crio, of[1]))
		needs_say(needs,
			  "pod %.253s/%.253s runs under CRI-O's handler %.64s (sandbox %.12s): "
			  "delete the pod first",
			  of[2] ? of[2] : "?", of[3] ? of[3] : "?", of[1], id);
}

void find_pod_users(struct needs *needs)
{
	char *path = arena_printf(needs->arena, "%s/overlay-containers", needs->crio.storage);
	cleanup_dir *dir = needs_open(needs, path);
	const char *id;

	while ((id = needs_next(needs, dir, path)))
		look_at_pod(needs, path, id);
}
