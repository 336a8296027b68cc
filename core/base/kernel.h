/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OCI_RDMA_KERNEL_H
#define OCI_RDMA_KERNEL_H

#include <stdbool.h>

/* Whether this release ("5.4.0-26-generic") is older than openat2(2), by its number: a distribution
 * may have put it into an earlier kernel. False for what is no number. */
bool kernel_is_before_openat2(const char *release);

/* Why openat2(2) answers ENOSYS, and what to do: the kernel, or a filter of system calls */
const char *kernel_lacks_openat2(void);

#endif
