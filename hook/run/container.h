/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that is known about one container, read in the order in which it can be dismissed: most
 * containers of a node have no RDMA, and must cost next to nothing.
 */
#ifndef OCI_RDMA_CONTAINER_H
#define OCI_RDMA_CONTAINER_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "node/node.h"
#include "plan/plan.h"
#include "plan/warning.h"
#include "policy/config.h"
#include "policy/request.h"
#include "spec/claims.h"
#include "spec/spec.h"

struct container {
	struct arena arena; /* owns all that is below */
	const char *what;   /* config.json's path, for errors */
	const char *id;     /* NULL: not known */
	struct spec spec;
	struct claims claims;
	struct devices devices;
	struct config config;
	bool has_config; /* config is loaded */
	struct request request;
	struct plan plan;
	struct warnings warnings;
};

enum container_detail {
	DETAIL_PLAN, /* what the plan needs */
	DETAIL_ALL,  /* and what a person wants to see */
};

void container_free(struct container *container);
#define cleanup_container __attribute__((cleanup(container_free))) struct container

/* Reads <bundle>/config.json. name: the bundle's path, for errors. */
int container_read_spec(struct container *container, int bundle, const char *name, struct err *err);

/*
 * Finds the devices that linux.devices proves; for a container that was given every device of the
 * host, those that its environment names and the node has.
 */
int container_find_devices(struct container *container, const struct node *node, struct err *err);

/* The administrator's config (path: NULL for the default) and the pod author's annotations. */
int container_read_policy(struct container *container, const struct node *node, const char *path,
			  struct err *err);

/* Orders and describes the devices, and makes the plan. */
int container_plan(struct container *container, const struct node *node,
		   enum container_detail detail, struct err *err);

#endif
