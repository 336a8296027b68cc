/* SPDX-License-Identifier: Apache-2.0 */
/* All that is known about one container, read in the order in which it can be dismissed: most have
 * no RDMA, and must cost next to nothing. */
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
	struct arena arena; /* owns all that is below */
	const char *what;   /* config.json's path, for errors; NULL if there is none */
	int fd;             /* config.json; -1 where it came by stdin */
	int bundle;         /* where a relative root.path begins; -1: not known */
	int root;           /* container_open_root(); -1: not yet */
	struct fs_text text;
	const char *id;     /* NULL: not known */
	const char *cgroup; /* below the sysroot; NULL: not known */
	struct spec spec;
	bool spec_known; /* spec is read */
	struct node node;
	struct devices devices;
	bool devices_known;        /* they have been looked up: there are no others */
	struct gpus gpus;          /* container_find_gpus() */
	bool everything;           /* find and decide also what can be dismissed: for the dry run */
	struct fs_text image_conf; /* the image's /etc/nccl.conf; no bytes: not seen */
	uint64_t node_memory;      /* only where the config requires a limit below it */
	uint64_t memlock_max;      /* this and the next: plan.h; if we start the runtime */
	uint64_t lacking;
	struct config config;
	bool has_config; /* config is loaded */
	struct request request;
	struct plan plan;
	const struct record *record; /* this and the next: explain/bundle.h */
	const char *doubt;
	struct warnings warnings;
};

#define CONTAINER_NONE ((struct container){.fd = -1, .bundle = -1, .root = -1, .node = NODE_NONE})

/* Frees the arena and closes the descriptors. */
void container_free(struct container *container);
#define cleanup_container __attribute__((cleanup(container_free))) struct container

/* Reads the file, mostly the bundle's config.json, below the descriptor. path: the directory's, for
 * errors. On failure container->text has the bytes that the runtime will read, if any. */
int container_read_spec(struct container *container, int dir, const char *path, const char *name,
			struct err *err);

/* The same from container->text. what: where that came from. */
int container_parse_spec(struct container *container, const char *what, struct err *err);

/* The descriptor of root.path, opened once, or -1. Refuses "" and the host's own root. */
int container_open_root(struct container *container, struct err *err);

/* The administrator's config, read once. Returns 0 or -1. */
int container_load_config(struct container *container, const struct options *options,
			  struct err *err);

/* False if the spec alone says that the container gets nothing. Opens no file. */
bool container_needs_decision(struct container *container);

/* Finds the devices, and reads the policy and the request. Returns 1, or -1; 0 for a container with
 * neither a device nor an annotation of ours: it gets nothing, and the config is not read. */
int container_find(struct container *container, const struct options *options, struct err *err);

/* Then makes the plan. Returns 1 if it gives something, 0 if not, or -1. */
int container_plan(struct container *container, struct err *err);

/* ---- one that could not be examined ---- */

#define VERBS_FILE SPEC_VERBS_DIR "uverbs"

/* Whether its text, or without that its spec, names a verbs device's file, and our annotation that
 * asks */
bool container_names_device(const struct container *container);
bool container_names_request(const struct container *container);

/* ---- devices of few containers (container_devices.c): no memory shows in the arena alone ---- */

/* Looks the number up, and warns of a device that looks like verbs, and is none */
void container_find_number(struct container *container, const struct spec_device *device);
void container_warn_of_number(struct container *container, const struct spec_device *device,
			      enum node_number found);

/* The device files that are mounted from the node, and whether a mount counts */
void container_find_mounted(struct container *container);
bool container_mounts_count(const struct spec *spec);

/* Those that the environment of a container with every device of the host names */
void container_find_named(struct container *container);

/* For a policy that does not count vfio: forgets these functions, with a warning each. */
void container_drop_vfio(struct container *container);

/* The network interfaces of its devices; its GPUs, by linux.devices, and where they and the devices
 * sit */
void container_find_netdevs(struct container *container);
void container_find_gpus(struct container *container);
