/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose container it is: by the annotations that an engine writes last, over whatever the pod's
 * author wrote under the same names.
 *
 *                        CRI-O, podman's pods              containerd
 *   sandbox or workload  io.kubernetes.cri-o.ContainerType io.kubernetes.cri.container-type
 *   container's id       io.kubernetes.cri-o.ContainerID   -
 *   sandbox's id         io.kubernetes.cri-o.SandboxID     io.kubernetes.cri.sandbox-id
 *   container's name     io.kubernetes.container.name      io.kubernetes.cri.container-name
 *   pod                  io.kubernetes.pod.name            io.kubernetes.cri.sandbox-name
 *   namespace            io.kubernetes.pod.namespace       io.kubernetes.cri.sandbox-namespace
 *
 * Each engine overwrites its own keys only (CRI-O's internal/factory/container/container.go,
 * containerd's internal/cri/annotations/annotations.go), so that a pod's author may have written
 * the other's. No key proves by itself which engine it is: one engine's set is believed, and where
 * keys of both stand, or CRI-O's labels without the keys that CRI-O writes beside them, the author
 * may have written any of them, and the identity is unknown.
 */
#ifndef OCI_RDMA_IDENTITY_H
#define OCI_RDMA_IDENTITY_H

#include <stdbool.h>

enum identity_doubt {
	IDENTITY_BELIEVED, /* it is as it says, as far as it says anything */
	IDENTITY_TWO_ENGINES,
	IDENTITY_LABELS_ALONE,
};

/* NULL: not known. Whoever has it from an engine's own message (NRI) sets it as it is. */
struct identity {
	const char *id; /* the container's */
	const char *name;
	const char *pod;
	const char *pod_namespace;
	const char *sandbox_id;
	bool sandbox;              /* the pod's pause container: it never gets a device */
	enum identity_doubt doubt; /* why all but sandbox is unknown */
};

/* The annotations above as they stand; NULL: there is none. */
struct identity_keys {
	struct {
		const char *type;
		const char *id;
		const char *sandbox_id;
		/* the kubelet's labels, which only CRI-O makes annotations */
		const char *name;
		const char *pod;
		const char *pod_namespace;
	} crio;
	struct {
		const char *type;
		const char *sandbox_id;
		const char *name;
		const char *pod;
		const char *pod_namespace;
	} containerd;
};

/* The identity that the keys tell, as the top of this file says; its texts are those of keys. */
struct identity identity_of(const struct identity_keys *keys);

/* True if either engine's type says so: who forges that takes from himself alone. */
bool identity_is_sandbox(const struct identity_keys *keys);

/* Why it is unknown, for people; NULL if it is believed. */
const char *identity_doubt_reason(enum identity_doubt doubt);

#endif
