/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The node, read from sysfs and proc below one directory descriptor, so that a recorded tree can
 * stand in for it (--sysroot). No driver library: a sick NIC must not stall a pod.
 */
#ifndef OCI_RDMA_NODE_H
#define OCI_RDMA_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"

struct node {
	bool recorded;    /* a tree that stands in for a node: its namespaces are not there to be
			     entered */
	int root;         /* the sysroot */
	int char_devices; /* sys/dev/char; -1 if the node has none */
};

/* sysroot "/": sys must be sysfs, so that nothing mounted over it can speak for the kernel. */
int node_open(const char *sysroot, struct node *ret_node, struct err *err);
void node_close(struct node *node);

#define cleanup_node __attribute__((cleanup(node_close))) struct node
#define NODE_NONE ((struct node){.root = -1, .char_devices = -1})

/* sysfs's class and bus links are never longer. */
#define NODE_LINK_MAX 1024

/* A path below the directory that such a link leads to: "…/infiniband/<ibdev>/ports/255" */
#define NODE_PATH_MAX (NODE_LINK_MAX + 128)

/*
 * What such a link points to, below the sysroot: "../../devices/…" is "sys/devices/…"; *ret_path is
 * NULL if it leads elsewhere. Negative: no memory
 */
int node_device_path(struct arena *arena, const char *link, char **ret_path);

/* Which network namespaces see an RDMA device: ib_core's mode */
enum rdma_mode {
	RDMA_MODE_UNKNOWN,
	RDMA_MODE_SHARED,    /* every network namespace */
	RDMA_MODE_EXCLUSIVE, /* only the one that it was moved to */
};

/* In bytes; 0 where that cannot be read */
uint64_t node_memory(const struct node *node);

#endif
