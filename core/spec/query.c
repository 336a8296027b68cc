/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about a spec that has been read */
#include <string.h>

#include "core/spec/spec.h"

const char *spec_getenv(const struct spec *spec, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < spec->n_env; i++) {
		if (strncmp(spec->env[i], name, len) == 0 && spec->env[i][len] == '=')
			return spec->env[i] + len + 1;
	}
	return NULL;
}

const struct spec_annotation *spec_annotation(const struct spec *spec, const char *name)
{
	for (size_t i = 0; i < spec->n_annotations; i++) {
		if (strcmp(spec->annotations[i].name, name) == 0)
			return &spec->annotations[i];
	}
	return NULL;
}

bool spec_host_id(const struct spec_mapping *map, size_t n, uint64_t id, uint64_t *ret_host)
{
	for (size_t i = 0; i < n; i++) {
		if (id < map[i].container || id - map[i].container >= map[i].size)
			continue;
		*ret_host = map[i].host + (id - map[i].container);
		return true;
	}
	return false;
}

const char *spec_cgroup_name(const struct spec *spec)
{
	const char *path = spec->cgroups_path;
	const char *slash = path ? strrchr(path, '/') : NULL;
	const char *name = slash ? slash + 1 : path;
	const char *colon = name ? strrchr(name, ':') : NULL;

	name = colon ? colon + 1 : name;
	return name && name[0] ? name : NULL;
}
