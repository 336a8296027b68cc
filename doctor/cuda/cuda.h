/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPUs as the CUDA driver sees them, and their memory for RDMA. All of it happens in a child
 * with a time limit: cuInit takes seconds on a large node (2.6 s with eight GPUs), and hangs on a
 * sick one. Without CUDA everything is not checkable, and that is no error.
 */
#ifndef OCI_RDMA_DOCTOR_CUDA_H
#define OCI_RDMA_DOCTOR_CUDA_H

#include "doctor/cuda/types.h"

/*
 * Adds findings: cuda_library (the file), cuda_init (the driver's version, how long it took), and
 * for each GPU, with its PCI address in lower case as subject, cuda_gpu, cuda_gpudirect_rdma and
 * cuda_dmabuf. Returns 0 whatever is found, or -1 without memory or child.
 */
int cuda_check(struct findings *findings, const struct cuda_options *options, struct err *err);

#endif
