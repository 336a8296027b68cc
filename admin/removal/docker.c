/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/engine/docker.h"

#include <errno.h>

#include "admin/removal/needs.h"
#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/json/reader.h"

#define HOST_CONFIG_SIZE_MAX (1024 * 1024)

/* ---- what it is told ---- */

/* Returns 0, or -1 without memory. */
static int read_docker(struct needs *needs, struct docker *ret_docker, struct err *err)
{
	struct fs_text text;
	struct err why;
	int status =
		tree_read(needs->arena, needs->root, DOCKER_CONFIG, DOCKER_FILE_SIZE_MAX, &text);

	*ret_docker = docker_defaults();
	if (status == -ENOMEM)
		return err_memory(err);
	if (status < 0)
		needs_unread(needs, "/" DOCKER_CONFIG, -status);
	if (status < 0 || docker_read_text(needs->arena, &text, ret_docker, &why) == 0)
		return 0;
	if (why.memory)
		return err_memory(err);
	needs_say(needs, "%s: cannot tell which runtimes there are: correct the file first",
		  why.text);
	return 0;
}

static void look_at_runtimes(struct needs *needs, const struct docker *docker)
{
	for (size_t i = 0; i < docker->n_runtimes; i++) {
		const char *path = docker->runtime[i].path;

		if (names_shim(path))
			needs_say(needs,
				  "/" DOCKER_CONFIG
				  ": a runtime is %.128s: remove that runtime first, "
				  "then run: systemctl reload docker",
				  path);
	}
}

/* ---- containers, whether they run or not ---- */

struct host_config {
	const char *runtime;
};

static const struct json_shape runtime = {.types = JSON_STRING | JSON_NULL,
					  JSON_FIELD(STRING, struct host_config, runtime)};
static const struct json_shape root_shape = {
	.types = JSON_OBJECT,
	JSON_MEMBERS({"Runtime", &runtime}),
};

/* The runtimes that are the shim, and those that were until the entry was taken away */
static bool is_ours(const struct docker *docker, const char *name)
{
	const struct docker_runtime *found = docker_find_runtime(docker, name);

	return found ? names_shim(found->path) : names_handler(name);
}

/* Docker keeps the name of a container's runtime beside it (container/container.go, toDisk), and
 * looks for it again at each start. What is no JSON is no container that it could start. */
static void look_at_container(struct needs *needs, const struct docker *docker, const char *dir,
			      const char *id)
{
	cleanup_arena arena = {0};
	char *path = arena_printf(&arena, "%s/%s/hostconfig.json", dir, id);
	struct host_config host = {.runtime = ""};
	struct fs_text text;
	struct err ignored;
	int status =
		path ? tree_read(&arena, needs->root, path, HOST_CONFIG_SIZE_MAX, &text) : -ENOMEM;

	if (status < 0)
		needs_unread(needs, path ? path : dir, -status);
	if (status < 0 || json_read(&arena, &(struct json_source){path, text.bytes, text.len, 0},
				    &root_shape, &host, &ignored) < 0)
		return;
	if (is_ours(docker, host.runtime) && !needs_has_seen(needs, id))
		needs_say(needs,
			  "container %.64s of Docker has the runtime %.64s, and would not start "
			  "again without: remove it first",
			  id, host.runtime);
}

static int look_at_containers(struct needs *needs, const struct docker *docker, struct err *err)
{
	cleanup_dir *dir = NULL;
	const char *id;
	char *path = arena_printf(needs->arena, "%s/containers", docker->data_root);

	if (!path || needs_open(needs, path, &dir) < 0)
		return err_memory(err);
	while ((id = needs_next(needs, dir, path)))
		look_at_container(needs, docker, path, id);
	return 0;
}

int needs_of_docker(struct needs *needs, struct err *err)
{
	struct docker docker;

	if (read_docker(needs, &docker, err) < 0)
		return -1;
	look_at_runtimes(needs, &docker);
	return look_at_containers(needs, &docker, err);
}
