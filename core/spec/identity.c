/* SPDX-License-Identifier: Apache-2.0 */
#include "core/spec/spec.h"

#include <string.h>

#include "core/base/text.h"

static bool is_sandbox(const char *type)
{
	return type && strcmp(type, "sandbox") == 0;
}

static bool has_crio(const struct identity_keys *keys)
{
	return keys->crio.type || keys->crio.id || keys->crio.sandbox_id;
}

static bool has_labels(const struct identity_keys *keys)
{
	return keys->crio.name || keys->crio.pod || keys->crio.pod_namespace;
}

static bool has_containerd(const struct identity_keys *keys)
{
	return keys->containerd.type || keys->containerd.sandbox_id || keys->containerd.name ||
	       keys->containerd.pod || keys->containerd.pod_namespace;
}

/* The last part of a path with slashes, and of systemd's "parent:PREFIX:ID" PREFIX:ID */
static const char *last_part(const char *cgroup)
{
	const char *part = text_base_name(cgroup);
	const char *id = strrchr(part, ':');

	if (!id)
		return part;
	while (id > part && id[-1] != ':')
		id--;
	return id;
}

/* What stands behind an engine's prefix, which '-' or ':' ends; NULL: it is not that engine's. */
static const char *cgroup_id(const char *cgroup, const char *prefix)
{
	const char *part = cgroup ? last_part(cgroup) : "";
	size_t len = strlen(prefix);

	if (strncmp(part, prefix, len) != 0 || (part[len] != '-' && part[len] != ':'))
		return NULL;
	return part + len + 1;
}

static bool made_by_crio(const struct identity_keys *keys)
{
	const char *id = cgroup_id(keys->cgroup, "crio");

	return keys->manager && strcmp(keys->manager, "cri-o") == 0 && id && keys->crio.id &&
	       strcmp(id, keys->crio.id) == 0;
}

static bool has_foreign_cgroup(const char *cgroup)
{
	static const char *const prefixes[] = {"crio", "docker", "libpod", "nerdctl"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (cgroup_id(cgroup, prefixes[i]))
			return true;
	}
	return false;
}

static bool may_be_made_by_containerd(const struct identity_keys *keys)
{
	return !keys->manager && keys->root && keys->root[0] != '/' &&
	       !has_foreign_cgroup(keys->cgroup);
}

static enum identity_doubt doubt_of(const struct identity_keys *keys)
{
	if (has_containerd(keys) && (has_crio(keys) || has_labels(keys)))
		return IDENTITY_TWO_ENGINES;
	if (has_containerd(keys))
		return may_be_made_by_containerd(keys) ? IDENTITY_BELIEVED : IDENTITY_OTHER_ENGINE;
	if (!has_crio(keys))
		return has_labels(keys) ? IDENTITY_LABELS_ALONE : IDENTITY_BELIEVED;
	/* In a pod of podman's, a container's type and sandbox identify nobody. */
	if (!keys->crio.id && !has_labels(keys))
		return IDENTITY_BELIEVED;
	return made_by_crio(keys) ? IDENTITY_BELIEVED : IDENTITY_OTHER_ENGINE;
}

struct identity identity_of(const struct identity_keys *keys)
{
	const struct engine_keys *from = has_containerd(keys) ? &keys->containerd : &keys->crio;
	struct identity identity = {.doubt = doubt_of(keys)};

	if (identity.doubt == IDENTITY_BELIEVED)
		identity = (struct identity){
			.id = from->id,
			.name = from->name,
			.pod = from->pod,
			.pod_namespace = from->pod_namespace,
			.pod_uid = from->pod_uid,
			.sandbox_id = from->sandbox_id,
		};
	identity.kubernetes = has_containerd(keys) || has_labels(keys) || keys->crio.id;
	/* A forged mark only costs its author the grant. */
	identity.sandbox = is_sandbox(keys->crio.type) || is_sandbox(keys->containerd.type);
	return identity;
}

const char *identity_doubt_reason(enum identity_doubt doubt)
{
	static const char *const reasons[] = {
		[IDENTITY_BELIEVED] = NULL,
		[IDENTITY_TWO_ENGINES] =
			"annotations of two engines, io.kubernetes.cri.* of containerd and "
			"io.kubernetes.cri-o.* or the labels of CRI-O",
		[IDENTITY_LABELS_ALONE] =
			"labels as CRI-O writes them (io.kubernetes.pod.*, "
			"io.kubernetes.container.name) without its io.kubernetes.cri-o.*",
		[IDENTITY_OTHER_ENGINE] =
			"annotations of Kubernetes, but io.container.manager, linux.cgroupsPath or "
			"root.path is that of another engine, such as podman or Docker, under "
			"which anybody may write them",
	};

	return reasons[doubt];
}
