/* SPDX-License-Identifier: Apache-2.0 */
/* A child for what may hang: it ends with the plugin, and keeps nothing of the plugin's. */
#ifndef OCI_RDMA_NRI_CHILD_H
#define OCI_RDMA_NRI_CHILD_H

#include <sys/types.h>

/* The connection and the lock's file: the plugin's end must close them, whatever a child hangs in.
 */
#define CHILD_CLOSED 2

/* As fork(2). closed: pointers to descriptors (-1: none); NULL: no descriptor. */
pid_t child_fork(const int *const closed[CHILD_CLOSED]);

#endif
