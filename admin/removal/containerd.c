/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "admin/bundle/bundle.h"
#include "admin/engine/containerd.h"
#include "admin/removal/needs.h"
#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/names.h"

#define RUNTIME_PATH_MAX 4096

/* ---- containers ---- */

/* The shim of containerd keeps the runtime's path beside config.json (runtime/v2/runc/container.go,
 * WriteRuntime), and takes no other until the container is gone. */
static int look_at_task(struct needs *needs, const char *namespace, const char *dir, const char *id)
{
	char *path = arena_printf(needs->arena, "%s/%s/runtime", dir, id);
	char runtime[RUNTIME_PATH_MAX];
	ssize_t len;

	if (!path)
		return -1;
	len = tree_read_line(needs->root, path, runtime, sizeof(runtime));
	if (len < 0 || len == sizeof(runtime) - 1)
		needs_unread(needs, path, len < 0 ? (int)-len : EMSGSIZE);
	if (len <= 0 || !names_shim(runtime))
		return 0;
	needs_say(needs,
		  "container %.64s (namespace %.64s) runs through %.128s: stop and remove the "
		  "container first",
		  id, namespace, runtime);
	return needs_remember(needs, id);
}

static int look_at_namespace(struct needs *needs, const char *top, const char *namespace)
{
	char *path = arena_printf(needs->arena, "%s/%s", top, namespace);
	cleanup_dir *dir = NULL;
	const char *id;

	if (!path || needs_open(needs, path, &dir) < 0)
		return -1;
	while ((id = needs_next(needs, dir, path))) {
		id = arena_strdup(needs->arena, id); /* it is remembered */
		if (!id || look_at_task(needs, namespace, path, id) < 0)
			return -1;
	}
	return 0;
}

static int look_at_tasks(struct needs *needs, const char *top)
{
	cleanup_dir *dir = NULL;
	const char *namespace;

	if (needs_open(needs, top, &dir) < 0)
		return -1;
	while ((namespace = needs_next(needs, dir, top))) {
		if (look_at_namespace(needs, top, namespace) < 0)
			return -1;
	}
	return 0;
}

/* ---- what it is told ---- */

static int look_at_handlers(struct needs *needs, struct err *err)
{
	struct containerd containerd;
	struct err why;
	int status =
		containerd_read(needs->arena, needs->root, CONTAINERD_CONFIG, &containerd, &why);

	if (status == -ENOENT)
		return 0;
	if (status < 0 && why.memory)
		return err_memory(err);
	if (status < 0)
		needs_say(needs, "%s: so it is not known which handlers this file has", why.text);
	for (size_t i = 0; status == 0 && i < containerd.n_handlers; i++) {
		const struct containerd_handler *handler = &containerd.handler[i];

		if (names_shim(handler->binary))
			needs_say(needs,
				  "%s: handler %.64s runs %.128s: remove the handler first, "
				  "then run systemctl restart containerd",
				  handler->file, handler->name, handler->binary);
	}
	return 0;
}

int needs_of_containerd(struct needs *needs, struct err *err)
{
	for (const char *const *dir = bundle_task_dirs; *dir; dir++) {
		if (look_at_tasks(needs, *dir) < 0)
			return err_memory(err);
	}
	return look_at_handlers(needs, err);
}
