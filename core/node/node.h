/* SPDX-License-Identifier: Apache-2.0 */
/* The node, read from sysfs and proc below one descriptor, so that a recorded tree can stand in for
 * it (--sysroot). No driver library: a sick NIC must not stall a pod. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"

struct node {
	bool recorded;    /* a tree that stands in for a node */
	int root;         /* the sysroot */
	int char_devices; /* sys/dev/char; -1 if the node has none */
};

/* sysroot "/": sys must be sysfs: nothing mounted over it may speak for the kernel. */
int node_open(const char *sysroot, struct node *ret_node, struct err *err);
void node_close(struct node *node);

#define cleanup_node __attribute__((cleanup(node_close))) struct node
#define NODE_NONE ((struct node){.root = -1, .char_devices = -1})

#define NODE_LINK_MAX 1024 /* sysfs's class and bus links are never longer. */

/* What a link in sysfs leads to, below the sysroot: "../../devices/…" is "sys/devices/…". NULL if
 * it is no link, leads elsewhere, or without memory */
const char *sysfs_find(struct arena *arena, int dir, const char *name);

/* In bytes; 0 where that cannot be read */
uint64_t node_memory(const struct node *node);

/* Where a PCI function sits */
struct pci_place {
	const char *path;   /* its directory, below the sysroot; NULL without one */
	bool has_numa_node; /* this and the next: pci_read_place() */
	int numa_node;
	char iommu[16]; /* explain/topology.h */
};

/* The directory of a PCI function or auxiliary device, by its link on the bus, as sysfs_find() */
const char *pci_find(const struct node *node, struct arena *arena, const char *address);

/* ---- RDMA devices ---- */

#define VERBS_CLASS "infiniband_verbs"
#define PORT_STATE_MAX 24
#define NETDEV_NAME_SIZE 16 /* IFNAMSIZ */

enum device_kind {
	DEVICE_VF,      /* SR-IOV virtual function: has physfn */
	DEVICE_PF,      /* any other PCI function */
	DEVICE_SF,      /* scalable function, on the auxiliary bus */
	DEVICE_VIRTUAL, /* no hardware below it (rxe, siw) */
};

enum device_source {
	SOURCE_DEVICE, /* its number in linux.devices alone */
	SOURCE_SRIOV,
	SOURCE_DRA,
};

/* "" and 0 where something is not known */
struct port {
	unsigned number;                 /* counted from 1 */
	char state[PORT_STATE_MAX];      /* "ACTIVE", "DOWN", … */
	char link_layer[16];             /* "Ethernet" or "InfiniBand" */
	char phys_state[PORT_STATE_MAX]; /* this and the next: explain/topology.h */
	double rate_gbps;
	int gid_index; /* the first RoCE v2 GID that maps an IPv4 address; -1: none or not read */
	char gid[48];  /* that GID */
};

/* Up and configured: what NCCL takes. Not so if the state is not known. */
bool port_is_active(const struct port *port);

/* NCCL's verbs take these two alone (src/transport/net_ib/init.cc). EFA's is "Unknown". */
bool port_is_foreign(const struct port *port);

/* "" where something does not apply or is not known */
struct device {
	char ibdev[64];      /* mlx5_6 */
	char uverbs[24];     /* uverbs6 */
	const char *address; /* as device plugins say it: PCI address, or auxiliary device's name */
	char pci[24];        /* PCI address of the function */
	char pf[24];         /* of its physical function */
	enum device_kind kind;
	enum device_source source; /* what names it: explain/explain.h */
	char netdev[NETDEV_NAME_SIZE];
	struct port *port; /* by number: node_read_ports() */
	size_t n_ports;
	const char *path;       /* its parent device's directory, below the sysroot */
	struct pci_place place; /* of the PCI function */
};

struct devices {
	struct device *item;
	size_t n;
	size_t room;
	const char **vfio; /* files of functions given to user space whole, below /dev: "vfio/57" is
			      a group, "vfio/devices/vfio0" a device */
	size_t n_vfio;
	size_t vfio_room;
};

/* Any that proves an allocation */
bool devices_any(const struct devices *devices);

/* "mlx5_6,mlx5_7,vfio/57"; "2 RDMA devices and 1 vfio function", NULL without memory */
void devices_append_names(const struct devices *devices, struct arena_text *text);
const char *devices_count_text(const struct devices *devices, struct arena *arena);

/* Sorts by PCI address, then by name, numbers compared as numbers; devices without one come last.
 * A number that linux.devices lists twice is kept once. */
void devices_sort(struct devices *devices);

/* What a character device is, by its number */
enum node_number {
	NUMBER_OTHER,
	NUMBER_VERBS,
	NUMBER_VFIO,
	NUMBER_VDPA, /* a virtio data path: no verbs */
};

/* What follows adds to *devices. If there is no memory, only the arena says so (err_of_arena). */

/* The verbs device with the path "sys/devices/…/infiniband_verbs/uverbs6". NULL: that is none */
const struct device *devices_add(const struct node *node, struct arena *arena, const char *path,
				 struct devices *devices);

/* The verbs device, or the vfio function, with this number; the latter by its path */
enum node_number node_find_number(const struct node *node, struct arena *arena, int64_t major,
				  int64_t minor, struct devices *devices);
enum node_number node_find_vfio(struct arena *arena, const char *path, struct devices *devices);

/* The verbs devices of a PCI function or auxiliary device; all of the node, or those on VFs */
void node_find_address(const struct node *node, struct arena *arena, const char *address,
		       struct devices *devices);
void node_find_all(const struct node *node, struct arena *arena, bool vfs_only,
		   struct devices *devices);

/* ---- the ports of a device ---- */

/* The directory ports/N, which the caller owns, or negative. number: counted from 1; 0: ports. */
int port_open(const struct node *node, const struct device *device, unsigned number);

/* "4: ACTIVE" is "ACTIVE". state stays as it is if there is no such attribute. */
void port_read_state(int dir, const char *attribute, char state[PORT_STATE_MAX]);

/* Number and link layer; the state only if there are several, because for it the kernel asks the
 * firmware (ib_core's sysfs.c: ib_query_port), which takes long on a sick device. No port if
 * another network namespace has the device alone (exclusive RDMA namespace mode). */
void node_read_ports(const struct node *node, struct arena *arena, struct device *device);
