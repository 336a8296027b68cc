/* SPDX-License-Identifier: Apache-2.0 */
#include "core/spec/identity.h"

#include <string.h>

static bool is_sandbox(const char *type)
{
	return type && strcmp(type, "sandbox") == 0;
}

bool identity_is_sandbox(const struct identity_keys *keys)
{
	return is_sandbox(keys->crio.type) || is_sandbox(keys->containerd.type);
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

static enum identity_doubt doubt_of(const struct identity_keys *keys)
{
	if (has_containerd(keys))
		return has_crio(keys) || has_labels(keys) ? IDENTITY_TWO_ENGINES
							  : IDENTITY_BELIEVED;
	return has_labels(keys) && !has_crio(keys) ? IDENTITY_LABELS_ALONE : IDENTITY_BELIEVED;
}

static struct identity of_crio(const struct identity_keys *keys)
{
	return (struct identity){
		.id = keys->crio.id,
		.name = keys->crio.name,
		.pod = keys->crio.pod,
		.pod_namespace = keys->crio.pod_namespace,
		.sandbox_id = keys->crio.sandbox_id,
	};
}

static struct identity of_containerd(const struct identity_keys *keys)
{
	return (struct identity){
		.name = keys->containerd.name,
		.pod = keys->containerd.pod,
		.pod_namespace = keys->containerd.pod_namespace,
		.sandbox_id = keys->containerd.sandbox_id,
	};
}

struct identity identity_of(const struct identity_keys *keys)
{
	struct identity identity = {.doubt = doubt_of(keys)};

	if (identity.doubt == IDENTITY_BELIEVED)
		identity = has_containerd(keys) ? of_containerd(keys) : of_crio(keys);
	identity.sandbox = identity_is_sandbox(keys);
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
	};

	return reasons[doubt];
}
