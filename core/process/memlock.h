/* SPDX-License-Identifier: Apache-2.0 */
/* RLIMIT_MEMLOCK: this process' own, which bounds that of what it starts, and a container's */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "core/base/err.h"

/* Raises soft and hard limit to at least bytes; what is higher stays. False if both were high
 * enough */
bool memlock_raise(struct rlimit64 *limit, uint64_t bytes);

/* Our own RLIMIT_MEMLOCK, which a process inherits if its spec lists none */
int inherited_memlock(struct rlimit64 *ret_limit, struct err *err);

/* Raises our own limit, which the runtime inherits, to at least bytes. Returns 0 or -1. */
int memlock_raise_own(uint64_t bytes, struct err *err);

/* The highest limit of locked memory that this process, and what it starts, can set for itself,
 * beyond which a runtime fails (rootless podman); 0: any */
uint64_t own_memlock_max(void);

/* The highest limit that a rootless engine, whose user we are, can set; 0: any. A hook or NRI
 * plugin asks this: its engine raises limits, so its own rights do not matter. */
uint64_t rootless_memlock_max(void);

/* Whether this process may raise a limit to bytes. Returns 0, or -1 with the reason. */
int memlock_check_raise(uint64_t bytes, struct err *err);

/* Raises RLIMIT_MEMLOCK, soft and hard, to at least bytes (MEMLOCK_UNLIMITED: no limit). Needs
 * CAP_SYS_RESOURCE in the initial user namespace (kernel/sys.c, do_prlimit). *ret_changed: the
 * limit was lower. A process that has ended meanwhile is no error. */
int process_raise_memlock(pid_t pid, int pidfd, uint64_t bytes, bool *ret_changed, struct err *err);
