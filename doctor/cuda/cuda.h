/* SPDX-License-Identifier: Apache-2.0 */
/* The GPUs as the CUDA driver sees them. cuInit takes seconds on a large node (2.6 s with eight
 * GPUs) and hangs on a sick one: that is for a check's process (doctor/runner.h). Without CUDA
 * everything is not checkable, and that is no error. */
#pragma once

#include <stddef.h>

#include "core/base/err.h"
#include "doctor/finding.h"

#define CUDA_SECONDS 35 /* that a check may take */

/* library: this libcuda and no other; NULL: looked for. Adds findings: cuda_library (the file),
 * cuda_init (the driver's version, how long it took), and for each GPU, with its PCI address in
 * lower case as subject, cuda_gpu, cuda_gpudirect_rdma and cuda_dmabuf. -1: out of memory */
int cuda_check(struct findings *findings, const char *library);

#define CUDA_GPUS_MAX 64

struct cuda_memory {
	char what[40]; /* "GPU 0000:1b:00.0" */
	void *address; /* of the GPU, in this process: for ibv_reg_mr (nvidia_peermem) */
	size_t bytes;
	int dmabuf; /* the same memory for ibv_reg_dmabuf_mr at offset 0; or -1, and a finding says
		       why */
};

/* Some memory of each GPU, which goes with the process. Adds "cuda_memory" for a GPU of which none
 * could be had; what cuda_check says it does not say again. Returns how many, or -1 without memory.
 */
int cuda_allocate(struct findings *findings, const char *library,
		  struct cuda_memory ret_memory[CUDA_GPUS_MAX]);
