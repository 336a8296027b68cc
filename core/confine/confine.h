/* SPDX-License-Identifier: Apache-2.0 */
/* Drops what root programs do not need. Not for the shim: its runtime would lack it. */
#pragma once

#include <linux/filter.h>
#include <stdint.h>

#include "core/base/err.h"

#define CONFINE_CAPABILITY(number) (UINT64_C(1) << (number))

struct confinement {
	uint64_t capabilities;                  /* bit n is capability n */
	const struct sock_filter *instructions; /* by tools/filter */
	unsigned short n_instructions;
};

/* Irreversible. Changes to directory unless NULL, and closes all but the standard descriptors;
 * other system calls kill the process. Best effort, since containers must start on old kernels;
 * *err: the last failure. */
int confine(const struct confinement *confinement, const char *directory, struct err *err);
