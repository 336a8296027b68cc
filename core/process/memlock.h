/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "core/base/err.h"

/* Raises both limits to at least bytes. False if they were high enough. */
bool memlock_raise(struct rlimit64 *limit, uint64_t bytes);

/* Our own limit, which a process inherits if its spec lists none */
int inherited_memlock(struct rlimit64 *ret_limit, struct err *err);

/* Raises our own limit, which the runtime inherits, to at least bytes */
int memlock_raise_own(uint64_t bytes, struct err *err);

/* The highest limit that this process can set, above which its runtime fails; 0: any */
uint64_t own_memlock_max(void);

/* The rootless engine's maximum; 0: any. For hooks and NRI plugins, whose engine raises limits */
uint64_t rootless_memlock_max(void);

/* -1 unless this process may raise a limit to bytes */
int memlock_check_raise(uint64_t bytes, struct err *err);

/* Needs CAP_SYS_RESOURCE in the initial user namespace. *ret_changed: it was lower. No error if the
 * process has ended */
int process_raise_memlock(pid_t pid, int pidfd, uint64_t bytes, bool *ret_changed, struct err *err);
