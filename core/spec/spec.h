/* SPDX-License-Identifier: Apache-2.0 */
/* What we use of config.json (OCI runtime specification). Pod authors also write process.env and
 * annotations; only kubelet, device plugins and engine write linux.devices, namespaces and
 * mappings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/json/document.h"
#include "core/spec/seccomp.h"

/* By the engine's annotations or message; NULL: unknown */
struct identity {
	const char *id; /* the container's */
	const char *name;
	const char *pod;
	const char *pod_namespace;
	/* For events only, never decisions: some containerd versions let the author set it. */
	const char *pod_uid;
	const char *sandbox_id;
	/* Why unknown: "annotations of two engines, …" */
	const char *doubt;
	bool sandbox;    /* the pause container, which never gets a device */
	bool kubernetes; /* has Kubernetes annotations, by any author */
};

/* ---- linux.resources ---- */

/* Updates *every_device by one more device rule; privileged containers also begin with "deny all".
 * type, access: "" if absent; major, minor: -1: any */
void spec_apply_rule(bool allow, const char *type, const char *access, int64_t major, int64_t minor,
		     bool *every_device);

/* unified's memory.max in bytes; 0 unless only digits (no limit, or an error) */
uint64_t spec_memory_max(const char *text);

/* ---- config.json (spec.c) ---- */

#define SPEC_SIZE_MAX (16 * 1024 * 1024)

/* Our annotations, by the pod's author */
#define SPEC_ANNOTATION_PREFIX "oci-rdma-hook.io/"
#define SPEC_ANNOTATIONS_MAX 64

#define SPEC_VERBS_DIR "/dev/infiniband/"

/* Our hook's argument in a CDI specification */
#define SPEC_ASK "--ask"

struct spec_device {
	const char *path; /* in the container; "" if absent */
	bool character;   /* type "c" or "u" */
	int64_t major;    /* -1 if absent */
	int64_t minor;
};

struct spec_annotation {
	const char *name; /* without the prefix */
	const char *value;
	size_t offset; /* in spec.text, or 0 */
};

/* Of process.capabilities; bit n is capability n */
enum spec_capability_set {
	SPEC_BOUNDING,
	SPEC_EFFECTIVE,
	SPEC_PERMITTED,
	SPEC_INHERITABLE,
	SPEC_AMBIENT,
	SPEC_CAPABILITY_SETS,
};

extern const char *const spec_capability_sets[SPEC_CAPABILITY_SETS];

/* False if its number excludes verbs and vfio */
bool spec_device_may_count(const struct spec_device *device);

struct spec {
	const char *text; /* the caller's; NULL: from a message */
	struct identity identity;

	struct spec_annotation *annotations;
	size_t n_annotations;
	bool asked; /* by SPEC_ASK, which only the engine's user can write */

	const char **env; /* "NAME=value" */
	size_t n_env;
	bool has_memlock; /* below: the last RLIMIT_MEMLOCK */
	uint64_t memlock_soft;
	uint64_t memlock_hard;
	uint64_t capabilities[SPEC_CAPABILITY_SETS];
	const struct json_node *process; /* NULL if absent */
	bool process_only;               /* from a process.json, which lacks the rest */

	const char *root;    /* root.path, relative to the bundle if not absolute; or NULL */
	const char **mounts; /* destinations */
	size_t n_mounts;
	/* Mount sources at or below SPEC_VERBS_DIR: not all engines can create devices */
	const char **verbs_sources;
	size_t n_verbs_sources;

	struct spec_device *devices;
	size_t n_devices;
	bool every_device;     /* rules allow reading and writing all devices */
	uint64_t memory_limit; /* that the runtime will set, in bytes; 0: none */
	struct seccomp_profile seccomp;
	const char *cgroups_path; /* NULL if absent */
	bool user_namespace;
	bool network_namespace; /* not the host's */
};

/* what: the file's name in errors. *ret_spec points into the arena. */
int spec_parse(struct arena *arena, const char *what, const char *text, size_t len,
	       struct spec *ret_spec, struct err *err);

/* Reads only the process object, of a config.json or a process.json (exec --process). */
int spec_parse_process(struct arena *arena, const char *what, const char *text, size_t len,
		       struct spec *ret_spec, struct err *err);

/* Trusts annotations that cgroup and root confirm (identity.c). */
struct identity identity_read(struct json_document *doc, const struct json_node *annotations,
			      const struct spec *spec);

const char *spec_getenv(const struct spec *spec, const char *name);

/* "b" of "/a/b" or "a.slice:crio:b"; or NULL */
const char *spec_cgroup_name(const struct spec *spec);

/* spec->annotations: NULL, or room for all */
int spec_add_annotation(struct arena *arena, struct spec *spec, struct spec_annotation annotation,
			struct err *err);

/* name: without the prefix. NULL if absent. */
const struct spec_annotation *spec_annotation(const struct spec *spec, const char *name);

/* More than any node has; more are ignored */
#define SPEC_ADDRESSES_MAX 4096

/* PCI addresses and auxiliary device names in PCIDEVICE_<resource> and SRIOVNETWORK_VF_DEVICE_<d>,
 * by device plugins or pod authors: no proof unless the container has every device. Returns how
 * many; check arena->failed. */
size_t spec_addresses(struct arena *arena, const struct spec *spec,
		      const char *const **ret_addresses);
