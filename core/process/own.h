/* SPDX-License-Identifier: Apache-2.0 */
/* What this process can give: its own limit and capabilities bound those of what it starts. */
#ifndef OCI_RDMA_OWN_H
#define OCI_RDMA_OWN_H

#include <stdint.h>

/* The highest limit of locked memory that this process, and what it starts, can set for itself,
 * beyond which a runtime fails (rootless podman); 0: any */
uint64_t own_memlock_max(void);

/* Those of these capabilities that the bounding set lacks, so that a runtime fails at them
 * (capabilities(7)). Ask before confine(). */
uint64_t own_lacks_capabilities(uint64_t capabilities);

#endif
