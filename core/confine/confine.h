/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that runs as root on input that others shape gives away what it does not need:
 * descriptors, capabilities, system calls. A hook does when it has read its state, the NRI plugin
 * before it connects. The runtime shim cannot: whatever it gave away the runtime would lack.
 */
#ifndef OCI_RDMA_CONFINE_H
#define OCI_RDMA_CONFINE_H

#include <linux/filter.h>
#include <stdint.h>

#include "core/base/err.h"

#define CONFINE_CAPABILITY(number) (UINT64_C(1) << (number))

/* What a program keeps */
struct confinement {
	uint64_t capabilities;                  /* bit n is capability n */
	const struct sock_filter *instructions; /* made by tools/filter when it is built */
	unsigned short n_instructions;
};

/*
 * For good: goes to directory, if that is not NULL; closes all descriptors but the standard three,
 * keeps only those capabilities, and lets the kernel kill this process at any other system call.
 * Does all that the kernel can do: an old one is no reason for a container not to start. Returns 0,
 * or -1 with what could not be done last, for the log.
 */
int confine(const struct confinement *confinement, const char *directory, struct err *err);

#endif
