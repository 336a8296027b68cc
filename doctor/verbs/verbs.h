/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RDMA by trying it: opens the devices through libibverbs, registers memory, and transfers data
 * within a device, between devices, and to another pod.
 *
 * Finding ids, with their subjects:
 *   verbs_library   is libibverbs here at all
 *   verbs_devices   what it lists
 *   verbs_open      DEVICE: does it open; also of devices that it does not list
 *   verbs_port      DEVICE:PORT: state, link layer, rate, MTU
 *   verbs_gid       DEVICE:PORT: what NCCL takes of the GID table
 *   verbs_register  DEVICE: how much memory can be registered
 *   verbs_loopback  DEVICE: a transfer between two queue pairs of its port
 *   verbs_pair      "A -> B": a transfer from one device to another
 *   verbs_remote    "DEVICE -> HOST DEVICE": a transfer to another doctor and back
 *   verbs_listen    "TCP port N": clients served
 *   verbs_dmabuf, verbs_peermem   "DEVICE WHAT": registration of GPU memory
 */
#ifndef OCI_RDMA_DOCTOR_VERBS_H
#define OCI_RDMA_DOCTOR_VERBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "doctor/finding.h"

#define VERBS_PORT 18516 /* TCP; nobody's by IANA, next to what ib_write_bw takes */

struct verbs_options {
	const char *device;  /* "mlx5_6" or "mlx5_6:1"; NULL: all */
	bool pair;           /* also between each pair of devices, both ways */
	bool listen;         /* serve others, in the place of transfers of our own */
	const char *connect; /* to a doctor that listens at this host; NULL: no */
	unsigned port;       /* TCP port of listen and connect; 0: VERBS_PORT */
	unsigned clients;    /* listen: end after so many; 0: at SIGINT or SIGTERM */
	size_t bytes;        /* of a message; 0: 1 MiB. Less is taken under a low memlock limit */
	size_t register_max; /* registers up to this much; 0: 256 MiB, less than which is too little
				for NCCL */

	/* Called before what may take over a second, with a line to show; or NULL */
	void (*progress)(void *context, const char *line);
	/* Called with each finding of a transfer with another pod when it is made, as a server may
	 * run for days; it is in the list as well. Or NULL */
	void (*found)(void *context, const struct finding *finding);
	void *context; /* of both */
};

/* Adds what it finds. -1: out of memory only */
int verbs_check(struct findings *findings, const struct verbs_options *options, struct err *err);

/*
 * Registers GPU memory with each device that opens: as a dma-buf (descriptor fd, which stays the
 * caller's), or by its address in this process, which needs nvidia_peermem. what: names the memory,
 * "GPU 0000:1b:00.0". Adds nothing where verbs_check says why there is no device. Opens the devices
 * itself, so a child may call it. -1: out of memory only
 */
int verbs_register_dmabuf(struct findings *findings, const struct verbs_options *options,
			  const char *what, int fd, uint64_t offset, size_t bytes, struct err *err);
int verbs_register_peermem(struct findings *findings, const struct verbs_options *options,
			   const char *what, void *address, size_t bytes, struct err *err);

#endif
