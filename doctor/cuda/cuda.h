/* SPDX-License-Identifier: Apache-2.0 */
/* Call only in a check's process (doctor/runner.h): cuInit takes seconds and hangs on a sick node.
 * Without CUDA all is "not checkable". */
#pragma once

#include <stddef.h>

#include "core/base/err.h"
#include "lib/finding.h"

#define CUDA_SECONDS 35 /* a check's time limit */

/* library NULL: search. Adds cuda_library, cuda_init, and per GPU (subject: lower-case PCI address)
 * cuda_gpu, cuda_gpudirect_rdma, cuda_dmabuf. */
int cuda_check(struct findings *findings, const char *library);

#define CUDA_GPUS_MAX 64

struct cuda_memory {
	char what[40]; /* "GPU 0000:1b:00.0" */
	void *address; /* in this process, for ibv_reg_mr (nvidia_peermem) */
	size_t bytes;
	int dmabuf; /* for ibv_reg_dmabuf_mr at offset 0; -1: a finding says why */
};

/* Memory lasts until the process ends. Failures beyond cuda_check's become "cuda_memory". Returns
 * how many GPUs have memory, or -1 without host memory. */
int cuda_allocate(struct findings *findings, const char *library,
		  struct cuda_memory ret_memory[CUDA_GPUS_MAX]);
