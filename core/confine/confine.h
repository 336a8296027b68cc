/* SPDX-License-Identifier: Apache-2.0 */
/* Drops what a root program does not need. The shim cannot: its runtime would lack it. */
#pragma once

#include <linux/filter.h>
#include <stdint.h>

#include "core/base/err.h"

#define CONFINE_CAPABILITY(number) (UINT64_C(1) << (number))

struct confinement {
	uint64_t capabilities;
	const struct sock_filter *instructions; /* from tools/filter, at build time */
	unsigned short n_instructions;
};

/* Irreversible. Changes to directory unless NULL, and closes all but the standard descriptors; the
 * kernel kills the process at any other system call. Best effort: containers must start on old
 * kernels. Returns 0, or -1 with the last failure. */
int confine(const struct confinement *confinement, const char *directory, struct err *err);
