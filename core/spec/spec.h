/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a container's config.json says that this project decides on (OCI runtime specification).
 *
 * Who wrote what: process.env and annotations come from the pod's author too; linux.devices, the
 * namespaces and the mappings only from the kubelet, the device plugins and the engine.
 */
#ifndef OCI_RDMA_SPEC_H
#define OCI_RDMA_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/json/document.h"

/* ---- whose container it is (identity.c) ---- */

/*
 * Its engine says so, in annotations that it writes over those of the same
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
struct engine_keys {
	const char *type;
	const char *id;
	const char *sandbox_id;
	/* CRI-O's are the kubelet's labels, which only it makes annotations. */
	const char *name;
	const char *pod;
	const char *pod_namespace;
	const char *pod_uid;
};

struct identity_keys {
	const char *manager; /* io.container.manager */
	const char *cgroup;  /* linux.cgroupsPath */
	const char *root;    /* root.path */
	struct engine_keys crio;
	struct engine_keys containerd;
};

/* The identity that the keys tell, as the top of this file says; its texts are those of keys. */
struct identity identity_of(const struct identity_keys *keys);

/* Why it is unknown, for people; NULL if it is believed. */
const char *identity_doubt_reason(enum identity_doubt doubt);

/* ---- system calls (parse.c) ---- */

/* NULL ends the list, which is sorted by how much is lost without. */
extern const char *const seccomp_names[];

/* linux.seccomp; bit n of a set is the n-th of seccomp_names. */
struct seccomp_profile {
	const struct json_node *place; /* NULL: there is none */
	uint32_t refused;
	uint32_t by_default; /* of these, because no rule names them: one more rule mends it */
};

/* ---- linux.resources ---- */

/*
 * Whether the container has every device of the host, by one more of its device rules, in their
 * order: also a privileged container's begin with "deny all". type, access: "" if it says none;
 * major, minor: -1 for any.
 */
void spec_apply_rule(bool allow, const char *type, const char *access, int64_t major, int64_t minor,
		     bool *every_device);

/* unified's memory.max in bytes; 0 for what has other than digits, which the kernel takes for no
 * limit, an error, or a limit of 0 */
uint64_t spec_memory_max(const char *text);

/* ---- config.json (parse.c) ---- */

#define SPEC_SIZE_MAX (16 * 1024 * 1024)

/* Annotations of the pod's author that start with it are ours. */
#define SPEC_ANNOTATION_PREFIX "oci-rdma-hook.io/"
#define SPEC_ANNOTATIONS_MAX 64

#define SPEC_VERBS_DIR "/dev/infiniband/"

/* What a hook of ours has among its arguments where choosing a device is asking (CDI) */
#define SPEC_ASK "--ask"

struct spec_device {
	const char *path; /* in the container; "" if it says none */
	bool character;   /* type "c" or "u" */
	int64_t major;    /* -1 if it says none */
	int64_t minor;
};

struct spec_annotation {
	const char *name; /* without the prefix */
	const char *value;
	size_t offset; /* in spec.text; 0: it is not from there */
};

/* The five capability sets of process.capabilities, bit n is capability n. */
enum spec_capability_set {
	SPEC_BOUNDING,
	SPEC_EFFECTIVE,
	SPEC_PERMITTED,
	SPEC_INHERITABLE,
	SPEC_AMBIENT,
	SPEC_CAPABILITY_SETS,
};

extern const char *const spec_capability_sets[SPEC_CAPABILITY_SETS];

/*
 * By its number: the kernel's verbs devices have major 231, from the 33rd on one that is chosen
 * when ib_uverbs is loaded (drivers/infiniband/core/uverbs_main.c), in these ranges (fs/char_dev.c,
 * find_dynamic_major); so have those of vfio (drivers/vfio/group.c, device_cdev.c). False: it is
 * neither.
 */
bool spec_device_may_count(const struct spec_device *device);

struct spec {
	const char *text; /* that it was read from, the caller's; NULL: from a message */
	struct identity identity;

	struct spec_annotation *annotations;
	size_t n_annotations;
	bool asked; /* by SPEC_ASK among a hook's arguments, which only the engine's user can write
		     */

	const char **env; /* "NAME=value" */
	size_t n_env;
	bool has_memlock; /* process.rlimits lists RLIMIT_MEMLOCK; below is the last that it lists
			   */
	uint64_t memlock_soft;
	uint64_t memlock_hard;
	uint64_t capabilities[SPEC_CAPABILITY_SETS];
	const struct json_node *process; /* where it stands, be it null; NULL: absent */
	bool process_only; /* from a process.json: what it leaves out, the container's own spec says
			    */

	const char *root; /* root.path, relative to the bundle if not absolute; NULL if missing */
	const char **mounts; /* destinations */
	size_t n_mounts;
	/* What is mounted from below SPEC_VERBS_DIR: device files, where the engine cannot make
	 * any (rootless) */
	const char **verbs_sources;
	size_t n_verbs_sources;

	struct spec_device *devices;
	size_t n_devices;
	bool every_device; /* the device rules allow reading and writing all of the host's */
	/* The cgroup's memory limit in bytes, as the runtime will set it; 0: none */
	uint64_t memory_limit;
	struct seccomp_profile seccomp;
	const char *cgroups_path; /* NULL if it says none */
	bool user_namespace;
	bool network_namespace; /* its own, or its pod's: not the host's */
};

/* what: the file's name for errors. All that *ret_spec points to lives in the arena. */
int spec_parse(struct arena *arena, const char *what, const char *text, size_t len,
	       struct spec *ret_spec, struct err *err);

/* The process object alone: of a config.json, or a process.json (exec --process), which is one. */
int spec_parse_process(struct arena *arena, const char *what, const char *text, size_t len,
		       struct spec *ret_spec, struct err *err);

/* The first in process.env, as getenv(3) finds it, or NULL */
const char *spec_getenv(const struct spec *spec, const char *name);

/*
 * The part of linux.cgroupsPath that names the container: "/a/b" is "b", systemd's
 * "a.slice:crio:id" is "id". NULL if there is none.
 */
const char *spec_cgroup_name(const struct spec *spec);

/*
 * One annotation more, which the caller fills. room: of spec->annotations, in items. Returns NULL
 * with the reason: too many, or no memory.
 */
struct spec_annotation *spec_add_annotation(struct arena *arena, struct spec *spec, size_t *room,
					    struct err *err);

/* Our annotation of that name (without the prefix), or NULL. */
const struct spec_annotation *spec_annotation(const struct spec *spec, const char *name);

/* ---- the state that a runtime gives to its hooks on stdin, as JSON (state.c) ---- */

/*
 * The state holds the container's annotations. Kubernetes lets a pod have 256 KiB of them
 * (TotalAnnotationSizeLimitB in apimachinery's pkg/api/validation/objectmeta.go), CRI-O writes them
 * once more as one of its own (io.kubernetes.cri-o.Annotations), and escapes make text longer: Go
 * writes "<" as "\u003c", six bytes, and seven where that text is quoted once more.
 */
#define STATE_SIZE_MAX (4 * 1024 * 1024)

struct state {
	const char *id;     /* the container's id */
	const char *bundle; /* directory of config.json; as the runtime says it, unchecked */
	/* The container's init in the hook's pid namespace; 0 if the state says none, or no
	 * integer: only a container that needs it fails for that. */
	int64_t pid;
	const char *status; /* "creating", "created", "running", …; NULL if it says none */
	bool sandbox;       /* a pod's pause container: it never gets a device */
	bool asks;          /* oci-rdma-hook.io/inject is "true" */
	/*
	 * run.oci.hooks.stderr: crun has opened the file of the node that this annotation names as
	 * the hooks' stderr (src/libcrun/container.c, open_hooks_output). A pod's author may have
	 * written it, or the image's; CRI-O since 1.30 takes it away. True if the text has these
	 * words anywhere, or could not be read whole: a reason why it cannot be read quotes it.
	 */
	bool stderr_chosen;
};

/* fd: read to its end. Strings live in the arena. stderr_chosen is set also if this fails. */
int state_read(struct arena *arena, int fd, struct state *ret_state, struct err *err);

/* ---- the devices that the environment names ---- */

/* More than any node has; the rest is left out. */
#define SPEC_ADDRESSES_MAX 4096

/*
 * The addresses (PCI, or an auxiliary device's name) that device plugins have written into
 * process.env, PCIDEVICE_<resource>=… and SRIOVNETWORK_VF_DEVICE_<d>=…, in the arena. A pod's
 * author can write the same variables, so they prove nothing unless the container has every device
 * anyway. What else the plugins write only labels devices: explain/claims.h. Returns how many;
 * without memory the arena says so.
 */
size_t spec_addresses(struct arena *arena, const struct spec *spec,
		      const char *const **ret_addresses);

#endif
