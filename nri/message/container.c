/* SPDX-License-Identifier: Apache-2.0 */
/* A container as a runtime tells it to its plugins (containerd/nri, pkg/runtime-tools/generate) */
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/spec/spec.h"
#include "nri/message/message.h"
#include "nri/message/nri.pb-c.h"
#include "nri/message/unpack.h"

struct reading {
	struct arena *arena;
	struct spec spec;
	size_t annotations_room;
};

/* ---- annotations ---- */

static int add_annotation(struct reading *r, const Nri__Entry *entry, struct err *err)
{
	const char *name = entry->key + strlen(SPEC_ANNOTATION_PREFIX);
	struct spec_annotation *added;

	/* The container's come first, and win. */
	if (spec_annotation(&r->spec, name))
		return 0;
	added = spec_add_annotation(r->arena, &r->spec, &r->annotations_room, err);
	if (!added)
		return -1;
	*added = (struct spec_annotation){.name = name, .value = entry->value};
	return 0;
}

static int read_annotations(struct reading *r, Nri__Entry *const *entries, size_t n,
			    struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		if (text_starts_with(entries[i]->key, SPEC_ANNOTATION_PREFIX) &&
		    add_annotation(r, entries[i], err) < 0)
			return -1;
	}
	return 0;
}

/* ---- process ---- */

/* Runtimes set them in order, so the last one holds. */
static void read_rlimits(struct reading *r, const Nri__Container *container)
{
	for (size_t i = 0; i < container->n_rlimits; i++) {
		const Nri__Rlimit *rlimit = container->rlimits[i];

		if (strcmp(rlimit->type, "RLIMIT_MEMLOCK") != 0)
			continue;
		r->spec.has_memlock = true;
		r->spec.memlock_soft = rlimit->soft;
		r->spec.memlock_hard = rlimit->hard;
	}
}

static int read_mounts(struct reading *r, const Nri__Container *container)
{
	const char **mounts = arena_alloc(r->arena, container->n_mounts * sizeof(*mounts));

	if (!mounts)
		return -1;
	for (size_t i = 0; i < container->n_mounts; i++)
		mounts[i] = container->mounts[i]->destination;
	r->spec.mounts = mounts;
	r->spec.n_mounts = container->n_mounts;
	return 0;
}

/* ---- linux ---- */

static int read_devices(struct reading *r, const Nri__LinuxContainer *platform)
{
	struct spec_device *devices = arena_alloc(r->arena, platform->n_devices * sizeof(*devices));

	if (!devices)
		return -1;
	for (size_t i = 0; i < platform->n_devices; i++) {
		const Nri__LinuxDevice *device = platform->devices[i];

		devices[i] = (struct spec_device){
			.path = device->path,
			.character =
				strcmp(device->type, "c") == 0 || strcmp(device->type, "u") == 0,
			.major = device->major,
			.minor = device->minor,
		};
	}
	r->spec.devices = devices;
	r->spec.n_devices = platform->n_devices;
	return 0;
}

static void read_namespaces(struct reading *r, const Nri__LinuxContainer *platform)
{
	for (size_t i = 0; i < platform->n_namespaces; i++) {
		const Nri__LinuxNamespace *namespace = platform->namespaces[i];

		if (strcmp(namespace->type, "user") == 0)
			r->spec.user_namespace = true;
		if (strcmp(namespace->type, "network") != 0)
			continue;
		r->spec.network_namespace = true;
		r->spec.network_path = namespace->path[0] ? namespace->path : NULL;
	}
}

static void read_rules(struct reading *r, const Nri__LinuxResources *resources)
{
	for (size_t i = 0; i < resources->n_devices; i++) {
		const Nri__LinuxDeviceRule *from = resources->devices[i];
		struct spec_rule rule = {
			.allow = from->allow,
			.any_type = spec_rule_any_type(from->type, strlen(from->type)),
			.read_write = spec_rule_read_write(from->access, strlen(from->access)),
			.major = from->major ? from->major->value : -1,
			.minor = from->minor ? from->minor->value : -1,
		};

		spec_rule_apply(&rule, &r->spec.every_device);
	}
}

/* Digits alone: what the kernel makes of all else is no limit, an error, or a limit of 0. */
static uint64_t memory_max(const char *value)
{
	return value[0] && strspn(value, "0123456789") == strlen(value) ? strtoull(value, NULL, 10)
									: 0;
}

/* unified's memory.max is written last, as config.json's (core/spec/linux.c). */
static void read_resources(struct reading *r, const Nri__LinuxResources *resources)
{
	const Nri__LinuxMemory *memory = resources->memory;

	read_rules(r, resources);
	if (memory && memory->limit && memory->limit->value > 0)
		r->spec.memory_limit = (uint64_t)memory->limit->value;
	for (size_t i = 0; i < resources->n_unified; i++) {
		const Nri__Entry *entry = resources->unified[i];

		if (strcmp(entry->key, "memory.max") == 0)
			r->spec.memory_limit = memory_max(entry->value);
	}
}

static const char *or_null(const char *text)
{
	return text[0] ? text : NULL;
}

static int read_platform(struct reading *r, const Nri__LinuxContainer *platform)
{
	r->spec.cgroups_path = or_null(platform->cgroups_path);
	read_namespaces(r, platform);
	if (platform->resources)
		read_resources(r, platform->resources);
	return read_devices(r, platform);
}

/* ---- the whole ---- */

/* Fields of the runtime's own, which no author of a pod can forge */
static int read_identity(struct reading *r, const Nri__Container *container,
			 const Nri__PodSandbox *pod, struct err *err)
{
	const char *const parts[] = {
		container->id,        container->pod_sandbox_id,  container->name,
		pod ? pod->name : "", pod ? pod->namespace_ : "", pod ? pod->uid : "",
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (text_has_control(parts[i]))
			return err_set(err, "a name contains a control character");
	}
	r->spec.identity = (struct identity){
		.id = or_null(parts[0]),
		.sandbox_id = or_null(parts[1]),
		.name = or_null(parts[2]),
		.pod = or_null(parts[3]),
		.pod_namespace = or_null(parts[4]),
		.pod_uid = or_null(parts[5]),
		.kubernetes = parts[4][0], /* Docker's NRI has no namespace */
	};
	return 0;
}

static int read_container(struct reading *r, const Nri__Container *container, struct err *err)
{
	r->spec.env = (const char **)container->env;
	r->spec.n_env = container->n_env;
	read_rlimits(r, container);
	if (read_mounts(r, container) < 0 ||
	    (container->platform && read_platform(r, container->platform) < 0))
		return err_memory(err);
	return 0;
}

int message_read_container(struct arena *arena, const struct message *pod,
			   const struct message *container, struct spec *ret_spec, struct err *err)
{
	struct reading reading = {.arena = arena};
	const Nri__Container *told = unpack_message(arena, &nri__container__descriptor,
						    container->bytes, container->len);
	const Nri__PodSandbox *sandbox =
		pod ? unpack_message(arena, &nri__pod_sandbox__descriptor, pod->bytes, pod->len)
		    : NULL;

	if (!told || (pod && !sandbox))
		return err_set(err, "the message is not one of NRI, or is too large");
	if (read_identity(&reading, told, sandbox, err) < 0 ||
	    read_container(&reading, told, err) < 0 ||
	    read_annotations(&reading, told->annotations, told->n_annotations, err) < 0 ||
	    (sandbox &&
	     read_annotations(&reading, sandbox->annotations, sandbox->n_annotations, err) < 0))
		return -1;
	*ret_spec = reading.spec;
	return 0;
}
