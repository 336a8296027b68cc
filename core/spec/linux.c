/* SPDX-License-Identifier: Apache-2.0 */
/* linux: the devices, the namespaces and their mappings, and where the cgroup is */
#include "core/spec/reading.h"

#include <string.h>

/* ---- devices ---- */

static int begin_device(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)value;
	(void)err;
	r->device = (struct spec_device){.path = "", .major = -1, .minor = -1};
	return 0;
}

static int take_device_type(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->device.character = json_equals(value, "c") || json_equals(value, "u");
	return 0;
}

static int leave_device(void *context, struct err *err)
{
	struct spec_reading *r = context;
	struct spec *spec = &r->spec;
	struct spec_device *larger = arena_grow(r->arena, spec->devices, spec->n_devices,
						&r->devices_room, sizeof(*larger));

	if (!larger)
		return err_memory(err);
	spec->devices = larger;
	spec->devices[spec->n_devices++] = r->device;
	return 0;
}

STORE(device_path, JSON_STRING, STRING, device.path);
static const struct json_shape device_type = {.types = JSON_STRING, .take = take_device_type};
STORE(device_major, JSON_NUMBER, INT64, device.major);
STORE(device_minor, JSON_NUMBER, INT64, device.minor);
static const struct json_shape device = {
	.types = JSON_OBJECT,
	.take = begin_device,
	.leave = leave_device,
	JSON_MEMBERS({"path", &device_path}, {"type", &device_type}, {"major", &device_major},
		     {"minor", &device_minor}),
};
static const struct json_shape devices = {.types = JSON_ARRAY | JSON_NULL, .each = &device};

/* ---- namespaces ---- */

static int begin_namespace(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)value;
	(void)err;
	r->namespace = (struct spec_namespace){0};
	return 0;
}

static int leave_namespace(void *context, struct err *err)
{
	struct spec_reading *r = context;
	const char *type = r->namespace.type ? r->namespace.type : "";

	(void)err;
	if (strcmp(type, "user") == 0)
		r->spec.user_namespace = true;
	if (strcmp(type, "network") == 0) {
		r->spec.network_namespace = true;
		r->spec.network_path = r->namespace.path;
	}
	return 0;
}

STORE(namespace_type, JSON_STRING, STRING, namespace.type);
STORE(namespace_path, JSON_STRING | JSON_NULL, STRING, namespace.path);
static const struct json_shape namespace_item = {
	.types = JSON_OBJECT,
	.take = begin_namespace,
	.leave = leave_namespace,
	JSON_MEMBERS({"type", &namespace_type}, {"path", &namespace_path}),
};
static const struct json_shape namespaces = {.types = JSON_ARRAY | JSON_NULL,
					     .each = &namespace_item};

/* ---- uidMappings, gidMappings ---- */

static int begin_mapping(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)value;
	(void)err;
	r->mapping = (struct spec_mapping){0};
	return 0;
}

static int append_mapping(struct spec_reading *r, struct spec_mapping **map, size_t *count,
			  size_t *room, struct err *err)
{
	struct spec_mapping *larger = arena_grow(r->arena, *map, *count, room, sizeof(*larger));

	if (!larger)
		return err_memory(err);
	larger[(*count)++] = r->mapping;
	*map = larger;
	return 0;
}

static int leave_uid_mapping(void *context, struct err *err)
{
	struct spec_reading *r = context;

	return append_mapping(r, &r->spec.uid_map, &r->spec.n_uid_map, &r->uid_room, err);
}

static int leave_gid_mapping(void *context, struct err *err)
{
	struct spec_reading *r = context;

	return append_mapping(r, &r->spec.gid_map, &r->spec.n_gid_map, &r->gid_room, err);
}

STORE(map_container, JSON_NUMBER, UINT64, mapping.container);
STORE(map_host, JSON_NUMBER, UINT64, mapping.host);
STORE(map_size, JSON_NUMBER, UINT64, mapping.size);
#define MAPPING_MEMBERS                                                                            \
	JSON_MEMBERS({"containerID", &map_container}, {"hostID", &map_host}, {"size", &map_size})
static const struct json_shape uid_mapping = {
	.types = JSON_OBJECT, .take = begin_mapping, .leave = leave_uid_mapping, MAPPING_MEMBERS};
static const struct json_shape gid_mapping = {
	.types = JSON_OBJECT, .take = begin_mapping, .leave = leave_gid_mapping, MAPPING_MEMBERS};
static const struct json_shape uid_mappings = {.types = JSON_ARRAY | JSON_NULL,
					       .each = &uid_mapping};
static const struct json_shape gid_mappings = {.types = JSON_ARRAY | JSON_NULL,
					       .each = &gid_mapping};

STORE(cgroups_path, JSON_STRING, STRING, spec.cgroups_path);
const struct json_shape spec_linux_shape = {
	.types = JSON_OBJECT | JSON_NULL,
	JSON_MEMBERS({"devices", &devices}, {"resources", &spec_resources_shape},
		     {"namespaces", &namespaces}, {"uidMappings", &uid_mappings},
		     {"gidMappings", &gid_mappings}, {"cgroupsPath", &cgroups_path},
		     {"seccomp", &spec_seccomp_shape}),
};
