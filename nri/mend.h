/* SPDX-License-Identifier: Apache-2.0 */
/* Raises the limit of a container's processes, for one that was created while the plugin was away.
 */
#ifndef OCI_RDMA_NRI_MEND_H
#define OCI_RDMA_NRI_MEND_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

/*
 * Raises RLIMIT_MEMLOCK of each process whose cgroup names the container's id, until a look at all
 * of them finds none that is lower, since a process may fork meanwhile. No limit is lowered. It
 * needs the node's pid namespace and CAP_SYS_RESOURCE. *ret_n: how many were raised. Returns 0, or
 * -1 with the reason.
 */
int mend_container(const char *id, uint64_t memlock, size_t *ret_n, struct err *err);

#endif
