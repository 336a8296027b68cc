/* SPDX-License-Identifier: Apache-2.0 */
/* The architecture whose system calls a filter is about: that of the programs, not of who builds.
 */
#ifndef OCI_RDMA_FILTER_TARGET_H
#define OCI_RDMA_FILTER_TARGET_H

#include <stdint.h>

/* By libseccomp's name ("x86_64", "aarch64"); empty or NULL is this machine's. Ends this process if
 * libseccomp does not know it, or if its words are in another byte order than this machine's, since
 * an argument's halves then lie the other way. */
void target_choose(const char *name);

/* SCMP_ARCH_*, which are also the kernel's AUDIT_ARCH_* (linux/audit.h) */
uint32_t target_architecture(void);

#endif
