/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose container it is. Its engine says so, in annotations that it writes over those of the same
 * name of others:
 *
 *                        CRI-O                             containerd
 *   sandbox or workload  io.kubernetes.cri-o.ContainerType io.kubernetes.cri.container-type
 *   container's id       io.kubernetes.cri-o.ContainerID   -
 *   sandbox's id         io.kubernetes.cri-o.SandboxID     io.kubernetes.cri.sandbox-id
 *   container's name     io.kubernetes.container.name      io.kubernetes.cri.container-name
 *   pod                  io.kubernetes.pod.name            io.kubernetes.cri.sandbox-name
 *   namespace            io.kubernetes.pod.namespace       io.kubernetes.cri.sandbox-namespace
 *   pod's uid            io.kubernetes.pod.uid             io.kubernetes.cri.sandbox-uid
 *
 * Under another engine anybody may have written these names. This table says what each writes:
 *
 *   engine           it writes itself               it takes over from
 *   CRI-O            CRI-O's set,                   the pod: all but its own set
 *                    io.container.manager=cri-o
 *   containerd's CRI containerd's set               the pod: what pod_annotations names,
 *                                                   but not its own set
 *   podman           io.container.manager=libpod    its user: all, io.container.manager and
 *                    if nobody has written it;      io.podman.* among them; the image:
 *                    in a pod CRI-O's type and      nothing in podman 5, all in 3 and 4
 *                    sandbox
 *   Docker           nothing                        its user: all; the image: nothing
 *   nerdctl, ctr     nothing of these               their user: all; the image: nothing
 *   NRI              fields of its messages         nobody: no annotation is read
 *
 * The sources: CRI-O internal/factory/container/container.go; containerd internal/cri/annotations/
 * annotations.go; podman libpod/container_internal_common.go and pkg/specgen/generate/container.go;
 * moby daemon/oci_linux.go; our nri/message/container.c.
 *
 * So no annotation proves which engine it is. What an image's author cannot choose is the path of
 * the cgroup, whose last part has a fixed form with the container's id, and the root's path:
 *
 *                 linux.cgroupsPath, systemd or cgroupfs  root.path
 *   CRI-O         parent:crio:ID or parent/crio-ID        absolute
 *   containerd    parent:cri-containerd:ID or parent/ID   rootfs
 *   podman        parent:libpod:ID or parent/libpod-ID,   absolute
 *                 none with --cgroups=disabled
 *   Docker        parent:docker:ID or parent/ID           absolute
 *   nerdctl       parent:nerdctl:ID or parent/ID          rootfs
 *
 * CRI-O's set is believed if io.container.manager is "cri-o" and the cgroup is CRI-O's for
 * io.kubernetes.cri-o.ContainerID, which the author of an image cannot know. containerd's set is
 * believed without io.container.manager (which podman always leaves), with a relative root, and a
 * cgroup that has no other engine's form. Keys of both, or labels without CRI-O's own keys, are
 * believed under no engine. io.podman.* tells nothing: `podman generate kube` writes it into the
 * pods that it makes for Kubernetes. The users of ctr and nerdctl on cgroupfs remain; they are root
 * of the node, as anybody who may speak to containerd's socket is.
 */
#ifndef OCI_RDMA_IDENTITY_H
#define OCI_RDMA_IDENTITY_H

#include <stdbool.h>

enum identity_doubt {
	IDENTITY_BELIEVED, /* it is as it says, as far as it says anything */
	IDENTITY_TWO_ENGINES,
	IDENTITY_LABELS_ALONE,
	IDENTITY_OTHER_ENGINE, /* an engine that writes none of these keys made the container */
};

/* NULL: not known. The NRI plugin sets it from the engine's own message. */
struct identity {
	const char *id; /* the container's */
	const char *name;
	const char *pod;
	const char *pod_namespace;
	/* For an event of the pod alone, never for a decision: a containerd that does not write it
	 * leaves it to the pod's author. */
	const char *pod_uid;
	const char *sandbox_id;
	bool sandbox;              /* the pod's pause container: it never gets a device */
	enum identity_doubt doubt; /* why all but sandbox is unknown */
	bool kubernetes;           /* it has annotations of Kubernetes, from any author */
};

/* What stands in config.json of all that; NULL: it has none. */
struct identity_keys {
	const char *manager; /* io.container.manager */
	const char *cgroup;  /* linux.cgroupsPath */
	const char *root;    /* root.path */
	struct {
		const char *type;
		const char *id;
		const char *sandbox_id;
		/* the kubelet's labels, which only CRI-O makes annotations */
		const char *name;
		const char *pod;
		const char *pod_namespace;
		const char *pod_uid;
	} crio;
	struct {
		const char *type;
		const char *sandbox_id;
		const char *name;
		const char *pod;
		const char *pod_namespace;
		const char *pod_uid;
	} containerd;
};

/* The identity that the keys tell, as the top of this file says; its texts are those of keys. */
struct identity identity_of(const struct identity_keys *keys);

/* True if either engine's type says so: who forges that takes from himself alone. */
bool identity_is_sandbox(const struct identity_keys *keys);

/* Why it is unknown, for people; NULL if it is believed. */
const char *identity_doubt_reason(enum identity_doubt doubt);

#endif
