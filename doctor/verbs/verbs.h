/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RDMA by trying it: opens the devices through libibverbs, registers memory, and transfers data
 * within a device and to another pod.
 *
 * Finding ids, with their subjects:
 *   verbs_library   is libibverbs here at all
 *   verbs_devices   what it lists
 *   verbs_open      DEVICE: does it open; also of devices that it does not list
 *   verbs_register  DEVICE: how much memory can be registered
 *   verbs_loopback  DEVICE: a transfer between two queue pairs of its port
 *   verbs_remote    "DEVICE -> HOST DEVICE": a transfer to another doctor and back
 *   verbs_listen    "TCP port N": it cannot listen there
 *   verbs_dmabuf, verbs_peermem   "DEVICE WHAT": registration of GPU memory
 */
#ifndef OCI_RDMA_DOCTOR_VERBS_H
#define OCI_RDMA_DOCTOR_VERBS_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "doctor/finding.h"
#include "doctor/verbs/setup.h"

/* Adds what it finds. -1: out of memory only */
int verbs_check(struct findings *findings, const struct verbs_options *options, struct err *err);

/* GPU memory, which the CUDA part of the doctor has made */
struct verbs_gpu_memory {
	const char *what; /* "GPU 0000:1b:00.0" */
	int dmabuf;       /* a descriptor; -1: by its address, which needs nvidia_peermem */
	void *address;
	size_t bytes;
};

/*
 * Registers it with each device that opens. Adds nothing where verbs_check says why there is no
 * device. Opens the devices itself, so a child may call it. -1: out of memory only
 */
int verbs_register_gpu(struct findings *findings, const struct verbs_options *options,
		       const struct verbs_gpu_memory *memory, struct err *err);

#endif
