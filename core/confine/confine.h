/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hook runs as root on input that others shape. When it has read its state, it gives away what it
 * does not need: descriptors, capabilities, system calls. The runtime shim cannot: whatever it gave
 * away the runtime would lack.
 */
#ifndef OCI_RDMA_CONFINE_H
#define OCI_RDMA_CONFINE_H

/*
 * For good: goes to directory, if that is not NULL; closes all descriptors but the standard three,
 * keeps only the capabilities that a grant needs, and lets the kernel kill this process at a system
 * call that no hook makes (filter/rules.c lists those that one does). What a kernel cannot do is
 * left out: an old one is no reason for a container not to start.
 */
void confine(const char *directory);

#endif
