/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the engine that runs us is its user's own (rootless podman). */
#ifndef OCI_RDMA_ROOTLESS_H
#define OCI_RDMA_ROOTLESS_H

#include <stdbool.h>
#include <sys/types.h>

/* What stat(2) says where a user namespace has no name for an owner, as for the node's root
 * (DEFAULT_OVERFLOWUID of the kernel's highuid.h) */
#define OVERFLOW_UID ((uid_t)65534)

/*
 * True if this process has no right on the node that its user has not: it is not root, or it is
 * root in a user namespace only. The user of such an engine also runs it, so the user needs to
 * prove nothing to it, and it can give nothing that the user has not. This is about the engine, not
 * about the container, which may have a user namespace on a node whose engine is root. False if it
 * cannot be told.
 */
bool rootless(void);

#endif
