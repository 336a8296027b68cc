/* SPDX-License-Identifier: Apache-2.0 */
/* Registration of GPU memory, which the CUDA part of the doctor has made. */
#ifndef OCI_RDMA_VERBS_GPU_H
#define OCI_RDMA_VERBS_GPU_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "doctor/finding.h"
#include "doctor/verbs/options.h"

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
