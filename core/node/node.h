/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The node's RDMA devices, read from sysfs below one directory descriptor, so that a recorded tree
 * can stand in for a node (--sysroot). No driver library, no netlink: a sick NIC must not stall a
 * pod.
 */
#ifndef OCI_RDMA_NODE_H
#define OCI_RDMA_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/node/pci.h"

enum device_kind {
	DEVICE_VF,      /* SR-IOV virtual function: has physfn */
	DEVICE_PF,      /* any other PCI function */
	DEVICE_SF,      /* scalable function, on the auxiliary bus */
	DEVICE_VIRTUAL, /* no hardware below it (rxe, siw) */
};

enum device_source {
	SOURCE_SRIOV,
	SOURCE_DRA,
	SOURCE_DEVICE,
};

#define PORT_STATE_MAX 24
#define NETDEV_NAME_SIZE 16 /* IFNAMSIZ */

struct port {
	unsigned number;                 /* counted from 1 */
	char state[PORT_STATE_MAX];      /* "ACTIVE", "DOWN", …; "" unknown */
	char phys_state[PORT_STATE_MAX]; /* "LinkUp", "Polling", "Disabled", …; "" unknown */
	char link_layer[16];             /* "Ethernet" or "InfiniBand"; "" unknown */
	double rate_gbps;                /* 0: unknown */
	int gid_index; /* of the first RoCE v2 GID that maps an IPv4 address; -1: none or not read
			*/
	char gid[48];  /* that GID; "" if there is none */
};

/* Empty strings where something does not apply or is not known. */
struct device {
	char ibdev[64];   /* mlx5_6 */
	char uverbs[24];  /* uverbs6 */
	char address[64]; /* what device plugins call it: PCI address, or the auxiliary device's
			     name */
	char pci[24];     /* PCI address of the function */
	char pf[24];      /* of its physical function */
	enum device_kind kind;
	enum device_source source; /* what gave it its place; set by the plan */

	char netdev[NETDEV_NAME_SIZE];
	bool on_host;      /* its ports show in the host's network namespace */
	struct port *port; /* by number; NULL until node_read_ports */
	size_t n_ports;

	const char *path;       /* directory of its parent device, relative to the sysroot */
	struct pci_place place; /* of the PCI function */
};

struct devices {
	struct device *item;
	size_t n;
	size_t room;
};

/* Who sees an RDMA device: ib_core's network namespace mode */
enum rdma_mode {
	RDMA_MODE_UNKNOWN,
	RDMA_MODE_SHARED,    /* every network namespace */
	RDMA_MODE_EXCLUSIVE, /* only the one that it was moved to */
};

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

/* What a character device is, told by its number */
enum node_number {
	NUMBER_OTHER,
	NUMBER_VERBS,
	NUMBER_VFIO, /* a function given to user space whole: no driver, so no verbs, on the node */
	NUMBER_VDPA, /* a virtio data path: no verbs */
};

/* Adds the verbs device with this number. Returns an enum node_number, or -1 on error. */
int node_find_number(const struct node *node, struct arena *arena, int64_t major, int64_t minor,
		     struct devices *devices, struct err *err);

/* Adds the verbs devices of a PCI function or auxiliary device. Returns how many, or -1. */
int node_find_address(const struct node *node, struct arena *arena, const char *address,
		      struct devices *devices, struct err *err);

/* sysfs's class and bus links are never longer. */
#define NODE_LINK_MAX 1024

/*
 * What such a link points to, below the sysroot: "../../devices/…" is "sys/devices/…"; *ret_path is
 * NULL if it leads elsewhere. Negative: no memory
 */
int node_device_path(struct arena *arena, const char *link, char **ret_path);

/* Adds every verbs device of the node that sits on a virtual function. Returns how many, or -1. */
int node_find_vfs(const struct node *node, struct arena *arena, struct devices *devices,
		  struct err *err);

/*
 * Ports: number and link layer; state where there are several, which is what a plan needs; all:
 * states and rate of each. Those ask the device's firmware (ib_core's sysfs.c: ib_query_port),
 * for as long as a sick one takes. A device without a readable directory gets none.
 */
int node_read_ports(const struct node *node, struct arena *arena, struct device *device, bool all,
		    struct err *err);

/* Fills in the GID of each port. */
void node_read_gids(const struct node *node, struct device *device);

/*
 * Waits, at most patience milliseconds, until each Ethernet port has such a GID: the kernel fills
 * the table by a work queue after an address was set (ib_core, roce_gid_mgmt.c), which the network
 * plugin has done a moment ago. Ports that are known not to be ACTIVE are not waited for.
 */
void node_wait_for_gids(const struct node *node, struct devices *devices, int patience);

/*
 * The mode that holds now; of a recorded node, the one that ib_core was loaded with, which
 * `rdma system set netns` may have changed.
 */
enum rdma_mode node_rdma_mode(const struct node *node);

/* The network interface as the host knows it: right for a container in the host's namespace only.
 * Negative: no memory, here and below
 */
int node_read_host_netdev(const struct node *node, struct device *device);

/*
 * The network interfaces as a pod knows them, by the device-info files that multus leaves: a hint,
 * since they are not the kernel's, for the devices that have none yet. sandbox_id: of the pod; NULL
 * if it is not known.
 */
int node_read_pod_netdevs(const struct node *node, struct devices *devices, const char *sandbox_id);

#endif
