/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of GPUs for who wants to use it, such as verbs, in the child that holds it. */
#ifndef OCI_RDMA_DOCTOR_CUDA_MEMORY_H
#define OCI_RDMA_DOCTOR_CUDA_MEMORY_H

#include "doctor/cuda/types.h"

/*
 * Calls use with size bytes (rounded up to 2 MiB) of each GPU in turn, in one child. Adds what use
 * finds, and "cuda_memory" for a GPU of which no memory could be had, or where use hung or died.
 * What cuda_check says it does not say again: where no driver or no GPU is, it adds nothing.
 * Returns 0 whatever is found, or -1 without memory or child.
 */
int cuda_memory_check(struct findings *findings, const struct cuda_options *options, size_t size,
		      cuda_use *use, void *context, struct err *err);

#endif
