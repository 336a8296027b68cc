/* SPDX-License-Identifier: Apache-2.0 */
/* The child's side: asks the driver, and tells records. */
#ifndef OCI_RDMA_DOCTOR_CUDA_PROBE_H
#define OCI_RDMA_DOCTOR_CUDA_PROBE_H

#include "doctor/cuda/types.h"

struct probe {
	const char *library;
	/* For probe_memory: */
	cuda_use *use;
	void *context;
	size_t size;
};

/* For child_start; context is a struct probe. */
void probe_gpus(void *context, int out);
void probe_memory(void *context, int out);

#endif
