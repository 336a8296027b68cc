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
#include "core/json/reader.h"
#include "core/spec/identity.h"
#include "core/spec/seccomp.h"

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
	size_t line; /* of config.json; 0: it came by a message, which has none */
};

/* linux.uidMappings or gidMappings, one entry */
struct spec_mapping {
	uint64_t container;
	uint64_t host;
	uint64_t size;
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

/*
 * By its number: the kernel's verbs devices have major 231, from the 33rd on one that is chosen
 * when ib_uverbs is loaded (drivers/infiniband/core/uverbs_main.c), in these ranges (fs/char_dev.c,
 * find_dynamic_major). False: it is none.
 */
static inline bool spec_device_may_be_verbs(const struct spec_device *device)
{
	int64_t major = device->major;

	return device->character &&
	       (major == 231 || (major >= 234 && major <= 254) || (major >= 384 && major <= 511));
}

/* One entry of process.rlimits */
struct spec_rlimit {
	struct json_span span;
	bool is_memlock;
	uint64_t soft;
	uint64_t hard;
};

/* Where the parts stand that can be edited */
struct spec_places {
	struct json_span process;
	struct json_span env;
	struct json_span rlimits;
	struct json_span capabilities;
	struct json_span sets[SPEC_CAPABILITY_SETS];
	struct spec_rlimit *memlock; /* the entries RLIMIT_MEMLOCK of process.rlimits */
	size_t n_memlock;
	struct json_span seccomp; /* linux.seccomp */
	struct json_span syscalls;
};

struct spec {
	struct identity identity;

	struct spec_annotation *annotations;
	size_t n_annotations;
	bool asked; /* by SPEC_ASK among a hook's arguments, which only who runs the engine can
		     * write
		     */

	const char **env; /* "NAME=value" */
	size_t n_env;
	bool has_memlock; /* process.rlimits lists RLIMIT_MEMLOCK; below is the last that it lists
			   */
	uint64_t memlock_soft;
	uint64_t memlock_hard;
	uint64_t capabilities[SPEC_CAPABILITY_SETS];
	struct spec_places places;
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
	const char *network_path; /* of that namespace; NULL if the runtime makes it or it is the
				     host's */
	bool network_namespace;   /* its own, or its pod's: not the host's */
	struct spec_mapping *uid_map;
	size_t n_uid_map;
	struct spec_mapping *gid_map;
	size_t n_gid_map;
};

/* what: the file's name for errors. All that *ret_spec points to lives in the arena. */
int spec_parse(struct arena *arena, const char *what, const char *text, size_t len,
	       struct spec *ret_spec, struct err *err);

/* The same for a process.json, which is config.json's process object alone (exec --process). */
int spec_parse_process(struct arena *arena, const char *what, const char *text, size_t len,
		       struct spec *ret_spec, struct err *err);

/* The value of the first entry NAME=value of process.env (as getenv(3) finds it), or NULL. */
const char *spec_getenv(const struct spec *spec, const char *name);

/* The host's id of a container's id; false if no mapping has it. */
bool spec_host_id(const struct spec_mapping *map, size_t n, uint64_t id, uint64_t *ret_host);

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

#endif
