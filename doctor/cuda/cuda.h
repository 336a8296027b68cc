/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPUs as the CUDA driver sees them, and their memory for RDMA. All of it happens in a child
 * with a time limit: cuInit takes seconds on a large node (2.6 s with eight GPUs), and hangs on a
 * sick one. Without CUDA everything is not checkable, and that is no error.
 */
#ifndef OCI_RDMA_DOCTOR_CUDA_H
#define OCI_RDMA_DOCTOR_CUDA_H

#include <stddef.h>

#include "core/base/err.h"
#include "doctor/finding.h"

#define CUDA_LIMIT_MS 30000

struct cuda_options {
	const char *library; /* this libcuda and no other; NULL: looked for */
	int limit_ms;        /* of the child's whole work; 0 for CUDA_LIMIT_MS */
};

/*
 * Adds findings: cuda_library (the file), cuda_init (the driver's version, how long it took), and
 * for each GPU, with its PCI address in lower case as subject, cuda_gpu, cuda_gpudirect_rdma and
 * cuda_dmabuf. Returns 0 whatever is found, or -1 without memory or child.
 */
int cuda_check(struct findings *findings, const struct cuda_options *options, struct err *err);

/* ---- memory of GPUs ---- */

struct cuda_memory {
	const char *what; /* "GPU 0000:1b:00.0" */
	void *address;    /* of the GPU, in this process: for ibv_reg_mr (nvidia_peermem) */
	size_t size;
	int dmabuf; /* the same memory for ibv_reg_dmabuf_mr at offset 0; or -1, and findings say
		       why */
};

/*
 * Uses the memory of one GPU, in the child that holds it, and adds findings, which reach the
 * parent. Pointer and descriptor are good until this returns; descriptor and memory go with the
 * process, and with them whatever verbs objects are left. Devices must be opened here: what
 * libibverbs opened before the fork is the parent's. Returns 0, or -1 with *err: then the rest of
 * GPUs is left out.
 */
typedef int cuda_use(const struct cuda_memory *memory, struct findings *findings, void *context,
		     struct err *err);

/*
 * Calls use with size bytes (rounded up to 2 MiB) of each GPU in turn, in one child. Adds what use
 * finds, and "cuda_memory" for a GPU of which no memory could be had, or where use hung or died.
 * What cuda_check says it does not say again: where no driver or no GPU is, it adds nothing.
 * Returns 0 whatever is found, or -1 without memory or child.
 */
int cuda_memory_check(struct findings *findings, const struct cuda_options *options, size_t size,
		      cuda_use *use, void *context, struct err *err);

#endif
