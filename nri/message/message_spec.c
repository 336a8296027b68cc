/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what containerd/nri, pkg/runtime-tools/generate writes */
#include "nri/message/message_spec.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "nri/message/message.h"

static const char *or_null(const char *text)
{
	return text[0] ? text : NULL;
}

/* Earlier ones win: the container's before the pod's */
static int read_annotations(struct arena *arena, Nri__Annotation *const *entries, size_t n,
			    struct spec *spec, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		struct spec_annotation annotation = {
			.name = entries[i]->key + strlen(SPEC_ANNOTATION_PREFIX),
			.value = entries[i]->value,
		};

		if (text_starts_with(entries[i]->key, SPEC_ANNOTATION_PREFIX) &&
		    !spec_annotation(spec, annotation.name) &&
		    spec_add_annotation(arena, spec, annotation, err) < 0)
			return -1;
	}
	return 0;
}

/* Last wins, as in runtimes */
static void read_rlimits(const Nri__Container *container, struct spec *spec)
{
	for (size_t i = 0; i < container->n_rlimits; i++) {
		const Nri__Rlimit *rlimit = container->rlimits[i];

		if (strcmp(rlimit->type, "RLIMIT_MEMLOCK") != 0)
			continue;
		spec->has_memlock = true;
		spec->memlock_soft = rlimit->soft;
		spec->memlock_hard = rlimit->hard;
	}
}

static int read_mounts(struct arena *arena, const Nri__Container *container, struct spec *spec)
{
	const char **mounts = arena_alloc(arena, container->n_mounts * sizeof(*mounts));

	if (!mounts)
		return -1;
	for (size_t i = 0; i < container->n_mounts; i++)
		mounts[i] = container->mounts[i]->destination;
	spec->mounts = mounts;
	spec->n_mounts = container->n_mounts;
	return 0;
}

static int read_devices(struct arena *arena, const Nri__LinuxContainer *platform, struct spec *spec)
{
	struct spec_device *devices = arena_alloc(arena, platform->n_devices * sizeof(*devices));

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
	spec->devices = devices;
	spec->n_devices = platform->n_devices;
	return 0;
}

static void read_namespaces(const Nri__LinuxContainer *platform, struct spec *spec)
{
	for (size_t i = 0; i < platform->n_namespaces; i++) {
		const Nri__LinuxNamespace *namespace = platform->namespaces[i];

		spec->user_namespace |= strcmp(namespace->type, "user") == 0;
		spec->network_namespace |= strcmp(namespace->type, "network") == 0;
	}
}

static void read_rules(const Nri__LinuxResources *resources, struct spec *spec)
{
	for (size_t i = 0; i < resources->n_devices; i++) {
		const Nri__LinuxDeviceRule *from = resources->devices[i];

		spec_apply_rule(from->allow, from->type, from->access,
				from->major ? from->major->value : -1,
				from->minor ? from->minor->value : -1, &spec->every_device);
	}
}

/* memory.max last, as in core/spec/spec.c */
static void read_memory(const Nri__LinuxResources *resources, struct spec *spec)
{
	const Nri__LinuxMemory *memory = resources->memory;

	if (memory && memory->limit && memory->limit->value > 0)
		spec->memory_limit = (uint64_t)memory->limit->value;
	for (size_t i = 0; i < resources->n_unified; i++) {
		const Nri__Entry *entry = resources->unified[i];

		if (strcmp(entry->key, "memory.max") == 0)
			spec->memory_limit = spec_memory_max(entry->value);
	}
}

static int read_platform(struct arena *arena, const Nri__LinuxContainer *platform,
			 struct spec *spec)
{
	spec->cgroups_path = or_null(platform->cgroups_path);
	read_namespaces(platform, spec);
	if (platform->resources) {
		read_rules(platform->resources, spec);
		read_memory(platform->resources, spec);
	}
	return read_devices(arena, platform, spec);
}

bool message_may_have_device(struct arena *arena, const struct message *container)
{
	const Nri__ContainerDevices *told =
		message_unpack(arena, &nri__container_devices__descriptor, container);
	struct spec spec = {0};
	bool may = !told || (told->platform && read_platform(arena, told->platform, &spec) < 0) ||
		   spec.every_device;

	for (size_t i = 0; !may && i < spec.n_devices; i++)
		may = spec_device_may_count(&spec.devices[i]);
	return may;
}

/* Set by the runtime: authors cannot forge them */
static int read_identity(const Nri__PodSandbox *pod, const Nri__Container *container,
			 struct identity *ret_identity, struct err *err)
{
	*ret_identity = (struct identity){
		.id = or_null(container->id),
		.sandbox_id = or_null(container->pod_sandbox_id),
		.name = or_null(container->name),
	};
	if (pod) {
		ret_identity->pod = or_null(pod->name);
		ret_identity->pod_namespace = or_null(pod->namespace_);
		ret_identity->pod_uid = or_null(pod->uid);
		ret_identity->kubernetes = pod->namespace_[0]; /* Docker has none */
	}
	if (text_has_control(container->id) || text_has_control(container->pod_sandbox_id) ||
	    text_has_control(container->name) ||
	    (pod && (text_has_control(pod->name) || text_has_control(pod->namespace_) ||
		     text_has_control(pod->uid))))
		return err_set(err, "a name contains a control character");
	return 0;
}

int message_spec(struct arena *arena, const Nri__PodSandbox *pod, const Nri__Container *container,
		 struct spec *ret_spec, struct err *err)
{
	struct spec spec = {.env = (const char **)container->env, .n_env = container->n_env};

	if (read_identity(pod, container, &spec.identity, err) < 0)
		return -1;
	read_rlimits(container, &spec);
	if (read_mounts(arena, container, &spec) < 0 ||
	    (container->platform && read_platform(arena, container->platform, &spec) < 0))
		return err_memory(err);
	if (read_annotations(arena, container->annotations, container->n_annotations, &spec, err) <
		    0 ||
	    (pod && read_annotations(arena, pod->annotations, pod->n_annotations, &spec, err) < 0))
		return -1;
	*ret_spec = spec;
	return 0;
}
