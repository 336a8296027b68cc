/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that is known about one container, read in the order in which it can be dismissed: most
 * containers of a node have no RDMA, and must cost next to nothing.
 */
#ifndef OCI_RDMA_CONTAINER_H
#define OCI_RDMA_CONTAINER_H

#include <stdbool.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/node/pci.h"
#include "core/options.h"
#include "core/plan/plan.h"
#include "core/policy/policy.h"
#include "core/spec/spec.h"

struct record;

struct container {
	struct arena arena; /* owns all that is below */
	const char *what;   /* config.json's path, for errors */
	int fd;             /* config.json; -1 where it came by stdin */
	int bundle;         /* from which a relative root.path leads on; -1: not known; not owned */
	int root;           /* container_open_root(); -1: not yet */
	struct fs_text text;
	const char *id;     /* NULL: not known */
	const char *cgroup; /* below the sysroot; NULL: not known */
	struct spec spec;
	bool spec_known; /* spec is read */
	struct node node;
	const char *const *addresses; /* of spec_addresses(), if spec.every_device */
	size_t n_addresses;
	struct devices devices;
	bool devices_known; /* they have been looked up: there are no others */
	struct gpus gpus;   /* that linux.devices gives it; looked up for frameworks.deepep and the
			       dry run only */
	bool everything;    /* find and decide also what can be dismissed: for the dry run */
	struct fs_text image_conf; /* the image's /etc/nccl.conf; no bytes: not seen */
	uint64_t node_memory;      /* only where the config requires a limit below it */
	/* What the engine cannot give, as facts (core/plan/plan.h). For an entry point that starts
	 * the runtime: the runtime has no more rights than the entry point. */
	uint64_t memlock_max;
	uint64_t lacking;
	struct config config;
	bool has_config; /* config is loaded */
	struct request request;
	struct plan plan;
	/* explain/bundle.h: its record, and why it is not known whether the pod
	 * asks; NULL: nothing, or not looked for */
	const struct record *record;
	const char *doubt;
	struct warnings warnings;
};

#define CONTAINER_NONE ((struct container){.fd = -1, .bundle = -1, .root = -1, .node = NODE_NONE})

/* Frees the arena and closes fd, root and node; bundle belongs to the caller. */
void container_free(struct container *container);
#define cleanup_container __attribute__((cleanup(container_free))) struct container

/*
 * Reads config.json, or the file of another name, below the bundle's descriptor, which has to stay
 * open as long as the container. path: the bundle's, for errors. If we cannot parse it,
 * container->text has the bytes that the runtime will read, if any.
 */
int container_read_spec(struct container *container, int bundle, const char *path, const char *name,
			struct err *err);

/* The same from container->text. what: where that came from. */
int container_parse_spec(struct container *container, const char *what, struct err *err);

/*
 * Its root directory, by root.path of config.json, relative to the bundle's descriptor unless
 * absolute; opened once and then held. Refuses "" and the host's own root. Returns the container's
 * descriptor, or -1.
 */
int container_open_root(struct container *container, struct err *err);

/*
 * For a container that could not be examined: whether its text, or without that its spec, names a
 * verbs device's file, and our annotation that asks.
 */
bool container_names_device(const struct container *container);
bool container_names_request(const struct container *container);

/* The administrator's config, read once. Returns 0 or -1. */
int container_load_config(struct container *container, const struct options *options,
			  struct err *err);

/*
 * False if container_find() says that it gets nothing by the spec alone: no file is opened. Without
 * memory it is true.
 */
bool container_may_matter(struct container *container);

/*
 * The plan takes two steps, each only as far as it can still matter (the first completely if
 * container->everything is set). It finds the devices, and reads the policy and the request.
 * Returns 1, or 0 for a container with neither a device nor an annotation of ours, which gets
 * nothing: the config is then not even read; -1 on failure.
 */
int container_find(struct container *container, const struct options *options, struct err *err);

/* The second makes the plan. Returns 1 if it gives something, 0 if not, or -1. */
int container_plan(struct container *container, struct err *err);

/* ---- more about its devices: if there is no memory, only the arena says so ---- */

/* The network interfaces of its devices */
void container_find_netdevs(struct container *container);

/* The GPUs that linux.devices gives it, and where they and the devices sit */
void container_find_gpus(struct container *container);

#endif
