/* SPDX-License-Identifier: Apache-2.0 */
/* Where the doctor itself runs: on a node or in a container. */
#ifndef OCI_RDMA_DOCTOR_LOCATION_H
#define OCI_RDMA_DOCTOR_LOCATION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"

/*
 * The first namespaces have fixed inode numbers (include/linux/proc_ns.h), so that a process can
 * tell whether it is in one of them.
 */
#define FIRST_CGROUP_NAMESPACE UINT64_C(0xeffffffb)
#define FIRST_PID_NAMESPACE UINT64_C(0xeffffffc)
#define FIRST_USER_NAMESPACE UINT64_C(0xeffffffd)

/* Where this program runs */
struct location {
	bool container;
	const char *evidence;
};

/* root: the sysroot. Returns 0, or -1 without memory. */
int location_find(struct arena *arena, int root, struct location *ret_location);

/* The inode number of one of a process' namespaces ("pid", "net", …); 0 if it cannot be seen. proc:
 * its directory. */
uint64_t location_namespace(int proc, const char *name);

#endif
