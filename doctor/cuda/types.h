/* SPDX-License-Identifier: Apache-2.0 */
/* What the questions to the CUDA driver share: options, and a GPU's memory as it is handed on. */
#ifndef OCI_RDMA_DOCTOR_CUDA_TYPES_H
#define OCI_RDMA_DOCTOR_CUDA_TYPES_H

#include <stddef.h>

#include "core/base/err.h"
#include "doctor/finding.h"

#define CUDA_LIMIT_MS 30000

struct cuda_options {
	const char *library; /* this libcuda and no other; NULL: looked for */
	int limit_ms;        /* of the child's whole work; 0 for CUDA_LIMIT_MS */
};

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

#endif
