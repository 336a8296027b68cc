/* SPDX-License-Identifier: Apache-2.0 */
/* What this process can give: its own limit and capabilities bound those of what it starts. */
#ifndef OCI_RDMA_OWN_H
#define OCI_RDMA_OWN_H

#include <stdint.h>

/*
 * The highest limit of locked memory that this process, and what it starts, can set for itself; 0:
 * any. Without the right to raise it (rootless podman) a runtime would fail at more.
 */
uint64_t own_memlock_max(void);

/*
 * Those of these capabilities that neither this process nor what it starts can have: the bounding
 * set lacks them (capabilities(7)), and a runtime would fail at them. Ask before confine().
 */
uint64_t own_lacks_capabilities(uint64_t capabilities);

#endif
