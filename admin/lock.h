/* SPDX-License-Identifier: Apache-2.0 */
/* --lock: flock(1) of the node, for install/kubernetes/node-install, whose image has only a busybox
 * without it */
#ifndef OCI_RDMA_LOCK_H
#define OCI_RDMA_LOCK_H

/*
 * Takes the exclusive lock of an open file, and waits until it is free. The lock is the open
 * file's, which the caller also has: it holds until the caller closes it or ends (flock(2)).
 * Returns the exit status.
 */
int lock_descriptor(const char *descriptor);

#endif
