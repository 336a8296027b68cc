/* SPDX-License-Identifier: Apache-2.0 */
/* A node's sysfs and proc. No driver library: a sick NIC must not stall a pod. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"

struct node {
	bool recorded; /* by --sysroot */
	int root;
	int char_devices; /* sys/dev/char, or -1 */
};

/* For "/", /sys must be sysfs: a mount over it could fake device numbers. */
int node_open(const char *sysroot, struct node *ret_node, struct err *err);
void node_close(struct node *node);

#define cleanup_node __attribute__((cleanup(node_close))) struct node
#define NODE_NONE ((struct node){.root = -1, .char_devices = -1})

#define NODE_LINK_MAX 1024 /* more than any class or bus link in sysfs */

/* Returns a link's target below the sysroot ("../../devices/…" is "sys/devices/…"), or NULL. */
const char *sysfs_find(struct arena *arena, int dir, const char *name);

/* 0: unknown */
uint64_t node_memory(const struct node *node);

struct pci_place {
	const char *path;   /* directory below the sysroot, or NULL */
	bool has_numa_node; /* pci_read_place() */
	int numa_node;
	char iommu[16]; /* explain/topology.h */
};

/* Directory of a PCI function or auxiliary device, as sysfs_find() */
const char *pci_find(const struct node *node, struct arena *arena, const char *address);

#define VERBS_CLASS "infiniband_verbs"
#define PORT_STATE_MAX 24
#define NETDEV_NAME_SIZE 16 /* IFNAMSIZ */

enum device_kind {
	DEVICE_VF,      /* has physfn */
	DEVICE_PF,      /* any other PCI function */
	DEVICE_SF,      /* on the auxiliary bus */
	DEVICE_VIRTUAL, /* rxe, siw */
};

enum device_source {
	SOURCE_DEVICE, /* linux.devices alone */
	SOURCE_SRIOV,
	SOURCE_DRA,
};

/* "" or 0: unknown */
struct port {
	unsigned number;
	char state[PORT_STATE_MAX];      /* "ACTIVE", "DOWN", … */
	char link_layer[16];             /* "Ethernet" or "InfiniBand" */
	char phys_state[PORT_STATE_MAX]; /* with rate_gbps: explain/topology.h */
	double rate_gbps;
	int gid_index; /* first IPv4 RoCE v2 GID; -1: none or not read */
	char gid[48];
};

/* As NCCL requires; false if unknown */
bool port_is_active(const struct port *port);

/* NCCL takes only Ethernet and InfiniBand (src/transport/net_ib/init.cc), not EFA. */
bool port_is_foreign(const struct port *port);

/* "": none or unknown */
struct device {
	char ibdev[64];
	char uverbs[24];
	const char *address; /* PCI address or auxiliary device, as device plugins write it */
	char pci[24];        /* of the function, also for an SF */
	char pf[24];
	enum device_kind kind;
	enum device_source source; /* explain/explain.h */
	char netdev[NETDEV_NAME_SIZE];
	struct port *port; /* node_read_ports() */
	size_t n_ports;
	const char *path; /* parent's directory below the sysroot */
	struct pci_place place;
};

struct devices {
	struct device *item;
	size_t n;
	size_t room;
	const char **vfio; /* below /dev: "vfio/57" (group), "vfio/devices/vfio0" */
	size_t n_vfio;
	size_t vfio_room;
};

bool devices_any(const struct devices *devices);

/* "mlx5_6,vfio/57"; "2 RDMA devices and 1 vfio function" */
void devices_append_names(const struct devices *devices, struct arena_text *text);
const char *devices_count_text(const struct devices *devices, struct arena *arena);

/* By PCI address (none: last), then natural name order; drops duplicates */
void devices_sort(struct devices *devices);

enum node_number {
	NUMBER_OTHER,
	NUMBER_VERBS,
	NUMBER_VFIO,
	NUMBER_VDPA, /* a virtio data path: no verbs */
};

/* These add to *devices; without memory only the arena fails. */

/* Finds a verbs or vfio device */
enum node_number node_find_number(const struct node *node, struct arena *arena, int64_t major,
				  int64_t minor, struct devices *devices);

/* Those of a PCI function or auxiliary device; all, or only VFs */
void node_find_address(const struct node *node, struct arena *arena, const char *address,
		       struct devices *devices);
void node_find_all(const struct node *node, struct arena *arena, bool vfs_only,
		   struct devices *devices);

/* Opens ports/N. Returns a new descriptor, or -errno. */
int port_open(const struct node *node, const struct device *device, unsigned number);

/* "4: ACTIVE" is "ACTIVE"; unchanged without the attribute */
void port_read_state(int dir, const char *attribute, char state[PORT_STATE_MAX]);

/* Reads states only of several ports: ib_query_port() (ib_core's sysfs.c) asks the firmware. No
 * ports in another network namespace's device (exclusive mode). */
void node_read_ports(const struct node *node, struct arena *arena, struct device *device);
