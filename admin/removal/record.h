/* SPDX-License-Identifier: Apache-2.0 */
/* Which files below the state directory are the shim's records (hook/shim/record_name.h) */
#ifndef OCI_RDMA_REMOVAL_RECORD_H
#define OCI_RDMA_REMOVAL_RECORD_H

#include <stdbool.h>

/*
 * True for the record of a container that was created through the shim. The NRI plugin and the hook
 * keep files in the same directory, which do not need the shim. dir: the directory's descriptor.
 */
bool is_record(int dir, const char *name);

#endif
