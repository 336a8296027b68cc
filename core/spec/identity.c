/* SPDX-License-Identifier: Apache-2.0 */
/* spec.h declares it. */
/*
 * Identifies a container by annotations that its engine overwrites; under another anybody may have
 * written them:
 *
 *   engine           writes itself                  copies from
 *   CRI-O            CRI-O's set (read_told),       the pod: all but its own set
 *                    io.container.manager=cri-o
 *   containerd's CRI containerd's set               the pod: pod_annotations, not its own set
 *   podman           io.container.manager=libpod    its user: all, even the manager; the image:
 *                    if absent; in a pod only       all before podman 5
 *                    CRI-O's type and sandbox
 *   Docker           nothing                        its user: all; the image: nothing
 *   nerdctl, ctr     none of these                  their user: all; the image: nothing
 *
 * So no annotation proves the engine. An image cannot choose these paths:
 *
 *                 linux.cgroupsPath, systemd or cgroupfs  root.path
 *   CRI-O         parent:crio:ID or parent/crio-ID        absolute
 *   containerd    parent:cri-containerd:ID or parent/ID   rootfs
 *   podman        parent:libpod:ID or parent/libpod-ID    absolute (no path: --cgroups=disabled)
 *   Docker        parent:docker:ID or parent/ID           absolute
 *   nerdctl       parent:nerdctl:ID or parent/ID          rootfs
 *
 * Trust ctr and nerdctl on cgroupfs: their users are the node's root. Ignore io.podman.*: `podman
 * generate kube` copies it into pods. Sources: CRI-O internal/factory/container/container.go;
 * containerd internal/cri/annotations/annotations.go; podman libpod/container_internal_common.go,
 * pkg/specgen/generate/container.go; moby daemon/oci_linux.go.
 */
#include <string.h>

#include "core/base/text.h"
#include "core/spec/spec.h"

struct told {
	const char *manager;
	const char *crio_type;
	const char *containerd_type;
	struct identity crio;
	struct identity containerd;
};

#define ANNOTATION(name) json_get_string(doc, annotations, name)

static struct told read_told(struct json_document *doc, const struct json_node *annotations)
{
	return (struct told){
		.manager = ANNOTATION("io.container.manager"),
		.crio_type = ANNOTATION("io.kubernetes.cri-o.ContainerType"),
		.containerd_type = ANNOTATION("io.kubernetes.cri.container-type"),
		.crio =
			{
				.id = ANNOTATION("io.kubernetes.cri-o.ContainerID"),
				.sandbox_id = ANNOTATION("io.kubernetes.cri-o.SandboxID"),
				/* kubelet labels; CRI-O alone makes them annotations */
				.name = ANNOTATION("io.kubernetes.container.name"),
				.pod = ANNOTATION("io.kubernetes.pod.name"),
				.pod_namespace = ANNOTATION("io.kubernetes.pod.namespace"),
				.pod_uid = ANNOTATION("io.kubernetes.pod.uid"),
			},
		.containerd =
			{
				.sandbox_id = ANNOTATION("io.kubernetes.cri.sandbox-id"),
				.name = ANNOTATION("io.kubernetes.cri.container-name"),
				.pod = ANNOTATION("io.kubernetes.cri.sandbox-name"),
				.pod_namespace = ANNOTATION("io.kubernetes.cri.sandbox-namespace"),
				.pod_uid = ANNOTATION("io.kubernetes.cri.sandbox-uid"),
			},
	};
}

static bool names_somebody(const struct identity *identity)
{
	return identity->name || identity->pod || identity->pod_namespace;
}

/* NULL for other prefixes */
static const char *cgroup_id(const char *cgroup, const char *prefix)
{
	const char *start = cgroup ? text_base_name(cgroup) : "";
	const char *part = strrchr(start, ':');
	size_t len = strlen(prefix);

	while (part && part > start && part[-1] != ':')
		part--;
	if (!part)
		part = start;
	if (strncmp(part, prefix, len) != 0 || (part[len] != '-' && part[len] != ':'))
		return NULL;
	return part + len + 1;
}

static bool made_by_crio(const struct told *told, const struct spec *spec)
{
	const char *id = cgroup_id(spec->cgroups_path, "crio");

	return text_is(told->manager, "cri-o") && id && text_is(told->crio.id, id);
}

/* podman always sets io.container.manager. */
static bool may_be_made_by_containerd(const struct told *told, const struct spec *spec)
{
	static const char *const others[] = {"crio", "docker", "libpod", "nerdctl"};

	if (told->manager || !spec->root || spec->root[0] == '/')
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (cgroup_id(spec->cgroups_path, others[i]))
			return false;
	}
	return true;
}

static const char other_engine[] =
	"annotations of Kubernetes, but io.container.manager, linux.cgroupsPath or root.path is "
	"that of another engine, such as podman or Docker, under which anybody may write them";

struct identity identity_read(struct json_document *doc, const struct json_node *annotations,
			      const struct spec *spec)
{
	struct told told = read_told(doc, annotations);
	bool labels = names_somebody(&told.crio);
	bool crio = told.crio_type || told.crio.id || told.crio.sandbox_id;
	bool containerd = told.containerd_type || told.containerd.sandbox_id ||
			  names_somebody(&told.containerd);
	struct identity identity = containerd ? told.containerd : told.crio;
	const char *doubt = NULL;

	if (containerd && (crio || labels))
		doubt = "annotations of two engines, io.kubernetes.cri.* of containerd and "
			"io.kubernetes.cri-o.* or the labels of CRI-O";
	else if (containerd)
		doubt = may_be_made_by_containerd(&told, spec) ? NULL : other_engine;
	else if (labels && !crio)
		doubt = "labels as CRI-O writes them (io.kubernetes.pod.*, "
			"io.kubernetes.container.name) without its io.kubernetes.cri-o.*";
	else if (labels || told.crio.id)
		doubt = made_by_crio(&told, spec) ? NULL : other_engine;
	if (doubt)
		identity = (struct identity){.doubt = doubt};
	identity.kubernetes = containerd || labels || told.crio.id;
	/* A forged mark only costs its author the grant. */
	identity.sandbox =
		text_is(told.crio_type, "sandbox") || text_is(told.containerd_type, "sandbox");
	return identity;
}
