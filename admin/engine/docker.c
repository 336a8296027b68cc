/* SPDX-License-Identifier: Apache-2.0 */

#include "admin/engine/docker.h"

#include <string.h>

#include "core/base/fs.h"
#include "core/json/document.h"

const struct docker_runtime *docker_find_runtime(const struct docker *docker, const char *name)
{
	for (size_t i = 0; i < docker->n_runtimes; i++) {
		if (strcmp(docker->runtime[i].name, name) == 0)
			return &docker->runtime[i];
	}
	return NULL;
}

static void read_runtimes(struct json_document *doc, const struct json_node *runtimes,
			  struct docker *docker)
{
	docker->runtime = json_items(doc, runtimes, sizeof(*docker->runtime));
	if (!docker->runtime)
		return;
	json_each(runtime, runtimes) {
		const char *path = json_get_string(doc, runtime, "path");

		docker->runtime[docker->n_runtimes++] = (struct docker_runtime){
			.name = json_key(doc, runtime), .path = path ? path : ""};
	}
}

int docker_read_text(struct arena *arena, const struct fs_text *text, struct docker *ret_docker,
		     struct err *err)
{
	struct docker docker = {.default_runtime = "runc"};
	struct json_document doc;
	const struct json_node *runtime;

	if (json_parse(&doc, arena, "/" DOCKER_CONFIG, text->bytes, text->len, 0, err) < 0)
		return -1;
	runtime = json_get(&doc, doc.root, "default-runtime", JSON_STRING);
	if (runtime)
		docker.default_runtime = json_string(&doc, runtime);
	read_runtimes(&doc, json_get(&doc, doc.root, "runtimes", JSON_OBJECT), &docker);
	if (doc.failed)
		return -1;
	*ret_docker = docker;
	return 0;
}
