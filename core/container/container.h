/* SPDX-License-Identifier: Apache-2.0 */
/* Read in stages: containers without RDMA must cost next to nothing. */
#pragma once

#include <stdbool.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/node/pci.h"
#include "core/options.h"
#include "core/plan/plan.h"
#include "core/plan/planning.h"
#include "core/policy/policy.h"
#include "core/spec/spec.h"

struct record;

struct container {
	struct arena arena; /* owns the rest */
	const char *what;   /* config.json's path, for errors, or NULL */
	int fd;             /* config.json; -1: from stdin */
	int bundle;         /* base of a relative root.path, or -1 */
	int root;           /* container_open_root() */
	struct fs_text text;
	const char *id;
	const char *cgroup; /* below the sysroot, or NULL */
	struct spec spec;
	bool spec_known;
	struct node node;
	struct devices devices;
	bool devices_known; /* the lookup is complete */
	struct gpus gpus;
	bool everything;           /* for the dry run: dismiss nothing */
	struct fs_text image_conf; /* the image's /etc/nccl.conf; no bytes: none */
	uint64_t node_memory;      /* only for require_memory_limit */
	uint64_t memlock_max;      /* 0: rootless_memlock_max(); with lacking: planning.h */
	uint64_t lacking;
	struct config config;
	bool has_config;
	struct request request;
	struct plan plan;
	const struct record *record; /* with doubt: explain/bundle.h */
	const char *doubt;
	struct warnings warnings;
};

#define CONTAINER_NONE ((struct container){.fd = -1, .bundle = -1, .root = -1, .node = NODE_NONE})

/* Stages, precreate and shim do not call it: the kernel frees all when they end or execv(2). */
void container_free(struct container *container);
#define cleanup_container __attribute__((cleanup(container_free))) struct container

/* path: dir's, for errors. On failure text is what the runtime will read, if anything. */
int container_read_spec(struct container *container, int dir, const char *path, const char *name,
			struct err *err);

/* what: the text's source, for errors */
int container_parse_spec(struct container *container, const char *what, struct err *err);

/* Returns root.path's descriptor, which container owns. Rejects "" and the host's root. */
int container_open_root(struct container *container, struct err *err);

/* Reads it once. */
int container_load_config(struct container *container, const struct options *options,
			  struct err *err);

/* False if the spec alone rules out a grant. Opens no file */
bool container_needs_decision(struct container *container);

/* Returns 1, -1, or 0 before reading the config: no device or annotation of ours */
int container_find(struct container *container, const struct options *options, struct err *err);

/* After container_find(). Returns 1 if the plan gives something, 0 or -1 */
int container_plan(struct container *container, struct err *err);

#define VERBS_FILE SPEC_VERBS_DIR "uverbs"

/* Unexamined: do text or spec name a verbs device, or our request? */
bool container_names_device(const struct container *container);
bool container_names_request(const struct container *container);

/* ---- container_devices.c: without memory only the arena fails ---- */

/* Looks the number up; warns if it is vDPA, or named like verbs but not a verbs device. */
void container_find_number(struct container *container, const struct spec_device *device);
void container_warn_of_number(struct container *container, const struct spec_device *device,
			      enum node_number found);

/* Device files mounted from the node; do mounts count? */
void container_find_mounted(struct container *container);
bool container_mounts_count(const struct spec *spec);

/* Devices that the environment names, in a container with all of the host's */
void container_find_named(struct container *container);

/* Drops vfio functions, with warnings. */
void container_drop_vfio(struct container *container);

/* Network interfaces; GPUs in linux.devices, and where GPUs and devices sit */
void container_find_netdevs(struct container *container);
void container_find_gpus(struct container *container);
