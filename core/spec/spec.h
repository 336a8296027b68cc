/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a container's config.json says that this project decides on (OCI runtime specification).
 *
 * Who wrote what: process.env and annotations come from the pod's author too; linux.devices, the
 * namespaces and the mappings only from the kubelet, the device plugins and the engine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/json/document.h"
#include "core/spec/seccomp.h"

/* Whose container it is, by its engine's annotations or message; NULL: not known */
struct identity {
	const char *id; /* the container's */
	const char *name;
	const char *pod;
	const char *pod_namespace;
	/* For an event of the pod alone, never for a decision: a containerd that does not write it
	 * leaves it to the pod's author. */
	const char *pod_uid;
	const char *sandbox_id;
	/* Why all above is unknown: the container has "annotations of two engines, …" */
	const char *doubt;
	bool sandbox;    /* the pod's pause container: it never gets a device */
	bool kubernetes; /* it has annotations of Kubernetes, from any author */
};

/* ---- linux.resources ---- */

/* Whether the container has every device of the host, by one more of its device rules: also a
 * privileged container's begin with "deny all". type, access: "" if it says none; major, minor: -1
 * for any. */
void spec_apply_rule(bool allow, const char *type, const char *access, int64_t major, int64_t minor,
		     bool *every_device);

/* unified's memory.max in bytes; 0 for what has other than digits, which the kernel takes for no
 * limit, an error, or a limit of 0 */
uint64_t spec_memory_max(const char *text);

/* ---- config.json (spec.c) ---- */

#define SPEC_SIZE_MAX (16 * 1024 * 1024)

/* Annotations of the pod's author that start with it are ours. */
#define SPEC_ANNOTATION_PREFIX "oci-rdma-hook.io/"
#define SPEC_ANNOTATIONS_MAX 64

#define SPEC_VERBS_DIR "/dev/infiniband/"

/* An argument of our hook in a CDI specification: choosing the device is asking. */
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

/* By its number; false if it is neither a verbs nor a vfio device */
bool spec_device_may_count(const struct spec_device *device);

struct spec {
	const char *text; /* that it was read from, the caller's; NULL: from a message */
	struct identity identity;

	struct spec_annotation *annotations;
	size_t n_annotations;
	bool asked; /* by SPEC_ASK: only the engine's user can write a hook's arguments */

	const char **env; /* "NAME=value" */
	size_t n_env;
	bool has_memlock; /* process.rlimits lists RLIMIT_MEMLOCK; below is the last one */
	uint64_t memlock_soft;
	uint64_t memlock_hard;
	uint64_t capabilities[SPEC_CAPABILITY_SETS];
	const struct json_node *process; /* where it stands; NULL: absent */
	bool process_only; /* from a process.json: the container's spec says what it leaves out */

	const char *root; /* root.path, relative to the bundle if not absolute; NULL if missing */
	const char **mounts; /* destinations */
	size_t n_mounts;
	/* Sources of mounts at and below SPEC_VERBS_DIR: of engines that cannot make device files
	 */
	const char **verbs_sources;
	size_t n_verbs_sources;

	struct spec_device *devices;
	size_t n_devices;
	bool every_device;     /* the device rules allow reading and writing all of the host's */
	uint64_t memory_limit; /* the cgroup's in bytes, as the runtime will set it; 0: none */
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

/* Believes the annotations only if spec's cgroup and root confirm them (identity.c). */
struct identity identity_read(struct json_document *doc, const struct json_node *annotations,
			      const struct spec *spec);

/* The first in process.env, as getenv(3) finds it, or NULL */
const char *spec_getenv(const struct spec *spec, const char *name);

/* The container's name in linux.cgroupsPath, "b" in "/a/b" or "a.slice:crio:b"; or NULL */
const char *spec_cgroup_name(const struct spec *spec);

/* spec->annotations is NULL, or has room for all. Returns -1 with the reason: too many, or no
 * memory. */
int spec_add_annotation(struct arena *arena, struct spec *spec, struct spec_annotation annotation,
			struct err *err);

/* Our annotation of that name (without the prefix), or NULL. */
const struct spec_annotation *spec_annotation(const struct spec *spec, const char *name);

/* ---- the devices that the environment names ---- */

/* More than any node has; the rest is left out. */
#define SPEC_ADDRESSES_MAX 4096

/*
 * The addresses (PCI, or an auxiliary device's name) that device plugins have written into
 * process.env, PCIDEVICE_<resource>=… and SRIOVNETWORK_VF_DEVICE_<d>=…. A pod's author can write
 * the same variables, so they prove nothing unless the container has every device anyway. Returns
 * how many; without memory the arena says so.
 */
size_t spec_addresses(struct arena *arena, const struct spec *spec,
		      const char *const **ret_addresses);
