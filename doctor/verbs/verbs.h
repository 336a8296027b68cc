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
#include "doctor/verbs/transfer.h"

/* ---- host memory (verbs.c) ---- */

/* Adds what it finds. -1: out of memory only */
int verbs_check(struct findings *findings, const struct verbs_options *options, struct err *err);

/* ---- registration of GPU memory, which the CUDA part of the doctor has made (gpu.c) ---- */

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
