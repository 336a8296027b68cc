/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that runs as root on input from others drops what it does not need: descriptors,
 * capabilities, system calls. A hook does so once it has read its state, the NRI plugin before it
 * connects. The runtime shim cannot, because the runtime would lack whatever it dropped.
 */
#pragma once

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
 * Irreversible: changes to directory unless it is NULL; closes all descriptors but the standard
 * three, keeps only those capabilities, and lets the kernel kill this process at any other system
 * call. Does as much as the kernel supports: an old kernel must not keep a container from starting.
 * Returns 0, or -1 with the last failure, for the log.
 */
int confine(const struct confinement *confinement, const char *directory, struct err *err);
