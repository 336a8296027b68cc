/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The node's RDMA devices, as sysfs has them: found by the number of a device file, by the address
 * that a device plugin says, or all that sit on virtual functions.
 */
#ifndef OCI_RDMA_DEVICE_H
#define OCI_RDMA_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/node/node.h"
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

/* Up and configured: what NCCL takes. Not so if the state is not known. */
static inline bool port_is_active(const struct port *port)
{
	return strcmp(port->state, "ACTIVE") == 0;
}

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

/* Adds every verbs device of the node. Returns how many, or -1. */
int node_find_all(const struct node *node, struct arena *arena, struct devices *devices,
		  struct err *err);

/* Adds every verbs device of the node that sits on a virtual function. Returns how many, or -1. */
int node_find_vfs(const struct node *node, struct arena *arena, struct devices *devices,
		  struct err *err);

#endif
