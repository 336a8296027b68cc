/* SPDX-License-Identifier: Apache-2.0 */
/* Limits a hanging /sys, disk or journal; below the hooks.d files' 10 s: a hook that the engine
 * kills gives no reason */
#pragma once

#include <stdbool.h>

#ifndef DEADLINE_SECONDS /* tests set another */
#define DEADLINE_SECONDS 5
#endif

/* on_time_up runs in a signal handler (async-signal-safe functions only) and must not return. */
void deadline_arm(void (*on_time_up)(void));

/* Restores the caller's alarm, signal mask and handler */
void deadline_disarm(void);

/* true: exit with status 1 rather than start the container unserved. */
void deadline_set_must_fail(bool fail);
