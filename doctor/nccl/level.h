/* SPDX-License-Identifier: Apache-2.0 */
/* How far GPU and HCA may be apart for GPUDirect RDMA: the levels of NCCL_NET_GDR_LEVEL. */
#ifndef OCI_RDMA_DOCTOR_NCCL_LEVEL_H
#define OCI_RDMA_DOCTOR_NCCL_LEVEL_H

/*
 * The level that NCCL_NET_GDR_LEVEL means: "LOC", "PIX", …, "SYS"; a number by the old scale, where
 * 4 and all above are SYS. NULL for what NCCL ignores (src/graph/paths.cc, ncclGetLevel).
 */
const char *nccl_level(const char *value);

#endif
