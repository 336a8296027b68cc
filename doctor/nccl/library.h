/* SPDX-License-Identifier: Apache-2.0 */
/* Which NCCL the target uses, by the names of its files. */
#ifndef OCI_RDMA_DOCTOR_NCCL_LIBRARY_H
#define OCI_RDMA_DOCTOR_NCCL_LIBRARY_H

#include "core/base/arena.h"
#include "doctor/target/target.h"

/*
 * *ret_text: "2.21.5 (/usr/lib64/libnccl.so.2.21.5, which the process has loaded)", or where the
 * loader would find it; NULL: none is found, as in a program that NCCL is linked into. Returns 0,
 * or -1 without memory.
 */
int nccl_library_find(struct arena *arena, const struct target *target, const char **ret_text);

#endif
