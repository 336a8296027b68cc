/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/engine/engine.h"

#include <string.h>

#include "core/json/reader.h"

struct reading {
	struct arena *arena;
	struct docker docker;
};

struct docker docker_defaults(void)
{
	return (struct docker){.default_runtime = "runc", .data_root = "/var/lib/docker"};
}

const struct docker_runtime *docker_find_runtime(const struct docker *docker, const char *name)
{
	for (size_t i = 0; i < docker->n_runtimes; i++) {
		if (strcmp(docker->runtime[i].name, name) == 0)
			return &docker->runtime[i];
	}
	return NULL;
}

static int take_runtime(void *context, const struct json_value *value, struct err *err)
{
	struct reading *reading = context;
	struct docker *docker = &reading->docker;
	struct docker_runtime *larger =
		arena_grow(reading->arena, docker->runtime, docker->n_runtimes,
			   &docker->runtimes_room, sizeof(*larger));
	const char *name = arena_strdup(reading->arena, value->key);

	if (!larger || !name)
		return err_memory(err);
	docker->runtime = larger;
	docker->runtime[docker->n_runtimes++] = (struct docker_runtime){.name = name, .path = ""};
	return 0;
}

/* For the runtime that has just begun */
static int take_path(void *context, const struct json_value *value, struct err *err)
{
	struct reading *reading = context;
	struct docker *docker = &reading->docker;

	return json_string(reading->arena, value, &docker->runtime[docker->n_runtimes - 1].path,
			   err);
}

#define STRING(name, field)                                                                        \
	static const struct json_shape name = {.types = JSON_STRING,                               \
					       JSON_FIELD(STRING, struct reading, docker.field)}

STRING(default_runtime, default_runtime);
STRING(data_root, data_root);
static const struct json_shape path = {.types = JSON_STRING, .take = take_path};
static const struct json_shape runtime = {
	.types = JSON_OBJECT,
	.take = take_runtime,
	JSON_MEMBERS({"path", &path}),
};
static const struct json_shape runtimes = {.types = JSON_OBJECT, .each = &runtime};
static const struct json_shape root = {
	.types = JSON_OBJECT,
	JSON_MEMBERS({"default-runtime", &default_runtime}, {"data-root", &data_root},
		     {"runtimes", &runtimes}),
};

int docker_read_text(struct arena *arena, const struct fs_text *text, struct docker *ret_docker,
		     struct err *err)
{
	struct reading reading = {.arena = arena, .docker = docker_defaults()};

	if (json_read(arena, &(struct json_source){"/" DOCKER_CONFIG, text->bytes, text->len, 0},
		      &root, &reading, err) < 0)
		return -1;
	*ret_docker = reading.docker;
	return 0;
}
