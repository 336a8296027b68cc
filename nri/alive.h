/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a container still runs, by its cgroup, which also a pod without the node's pids sees. */
#ifndef OCI_RDMA_NRI_ALIVE_H
#define OCI_RDMA_NRI_ALIVE_H

#include <stdbool.h>

/* sysroot: a path. True also if that cannot be told. */
bool alive_container(const char *sysroot, const char *id);

#endif
