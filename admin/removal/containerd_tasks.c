/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/removal/containerd_tasks.h"

#include <errno.h>

#include "admin/engine/containerd.h"
#include "admin/engine/docker.h"
#include "admin/engine/engine.h"
#include "admin/removal/needs.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/json/document.h"
#include "explain/bundle.h"
#include "lib/files.h"

#define RUNTIME_PATH_MAX 4096

/* containerd's shim uses the path in this file until the container is gone
 * (runtime/v2/runc/container.go, WriteRuntime). */
static void look_at_task(struct needs *needs, const char *namespace, const char *dir,
			 const char *id)
{
	char *path = arena_printf(needs->arena, "%s/%s/runtime", dir, id);
	char runtime[RUNTIME_PATH_MAX];
	const char **added;
	ssize_t len;

	if (!path)
		return;
	len = tree_read_line(needs->root, path, runtime, sizeof(runtime));
	if (len < 0 || len == sizeof(runtime) - 1)
		needs_unread(needs, path, len < 0 ? (int)-len : EMSGSIZE);
	if (len <= 0 || !is_shim_name(runtime))
		return;
	needs_say(needs,
		  "container %.64s (namespace %.64s) runs through %.128s: stop and remove the "
		  "container first",
		  id, namespace, runtime);
	added = arena_push(needs->arena, needs->seen, needs->n_seen, needs->seen_room);
	if (added)
		*added = arena_strdup(needs->arena, id);
}

static void look_at_tasks(struct needs *needs, const char *top)
{
	cleanup_dir *namespaces = needs_open(needs, top);
	const char *namespace;
	const char *id;

	while ((namespace = needs_next(needs, namespaces, top))) {
		const char *path = arena_printf(needs->arena, "%s/%s", top, namespace);
		cleanup_dir *dir = needs_open(needs, path);

		while ((id = needs_next(needs, dir, path)))
			look_at_task(needs, namespace, path, id);
	}
}

static void look_at_containerd_handlers(struct needs *needs)
{
	struct containerd containerd;
	struct err why;
	int status =
		containerd_read(needs->arena, needs->root, CONTAINERD_CONFIG, &containerd, &why);

	if (status == -ENOENT)
		return;
	needs->arena->failed |= status < 0 && why.errnum == ENOMEM;
	if (status < 0)
		needs_say(needs, "%s: so it is not known which handlers this file has", why.text);
	for (size_t i = 0; status == 0 && i < containerd.n_handlers; i++) {
		const struct containerd_handler *handler = &containerd.handler[i];

		if (is_shim_name(handler->binary))
			needs_say(needs,
				  "%s: handler %.64s runs %.128s: remove the handler first, "
				  "then run systemctl restart containerd",
				  handler->file, handler->name, handler->binary);
	}
}

void find_containerd_users(struct needs *needs)
{
	for (const char *const *dir = bundle_task_dirs; *dir; dir++)
		look_at_tasks(needs, *dir);
	look_at_containerd_handlers(needs);
}

/* ---- Docker ---- */

#define HOST_CONFIG_SIZE_MAX (1024 * 1024)

static struct docker read_docker(struct needs *needs)
{
	struct docker docker = docker_defaults();
	struct fs_text text;
	struct err why;
	int status =
		tree_read(needs->arena, needs->root, DOCKER_CONFIG, ENGINE_FILE_SIZE_MAX, &text);

	if (status < 0) {
		needs->arena->failed |= status == -ENOMEM;
		needs_unread(needs, "/" DOCKER_CONFIG, -status);
	} else if (docker_read_text(needs->arena, &text, &docker, &why) < 0) {
		needs->arena->failed |= why.errnum == ENOMEM;
		needs_say(needs, "%s: cannot tell which runtimes there are: correct the file first",
			  why.text);
	}
	return docker;
}

static void look_at_runtimes(struct needs *needs, const struct docker *docker)
{
	for (size_t i = 0; i < docker->n_runtimes; i++) {
		const char *path = docker->runtime[i].path;

		if (is_shim_name(path))
			needs_say(needs,
				  "/" DOCKER_CONFIG
				  ": a runtime is %.128s: remove that runtime first, "
				  "then run: systemctl reload docker",
				  path);
	}
}

static bool has_seen(const struct needs *needs, const char *id)
{
	for (size_t i = 0; i < needs->n_seen; i++) {
		if (needs->seen[i] && strcmp(id, needs->seen[i]) == 0)
			return true;
	}
	return false;
}

/* Runtimes with the shim, and ours whose entry was removed */
static bool is_handler_of_shim(const struct docker *docker, const char *name)
{
	const struct docker_runtime *found = docker_find_runtime(docker, name);

	return found ? is_shim_name(found->path) : names_handler(name);
}

/* Docker keeps the runtime's name (container/container.go, toDisk) and looks it up at each
 * start. */
static void look_at_container(struct needs *needs, const struct docker *docker, const char *dir,
			      const char *id)
{
	cleanup_arena arena = {0};
	char *path = arena_printf(&arena, "%s/%s/hostconfig.json", dir, id);
	const char *runtime;
	struct json_document doc;

	if (!needs_read_json(needs, &arena, path, HOST_CONFIG_SIZE_MAX, &doc))
		return;
	runtime = json_string(&doc, json_get(&doc, doc.root, "Runtime", JSON_STRING | JSON_NULL));
	if (doc.failed || !runtime)
		return;
	if (is_handler_of_shim(docker, runtime) && !has_seen(needs, id))
		needs_say(needs,
			  "container %.64s of Docker has the runtime %.64s, and would not start "
			  "again without: remove it first",
			  id, runtime);
}

void find_docker_users(struct needs *needs)
{
	const struct docker docker = read_docker(needs);
	const char *path = arena_printf(needs->arena, "%s/containers", docker.data_root);
	cleanup_dir *dir = needs_open(needs, path);
	const char *id;

	look_at_runtimes(needs, &docker);
	while ((id = needs_next(needs, dir, path)))
		look_at_container(needs, &docker, path, id);
}
