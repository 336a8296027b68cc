/* SPDX-License-Identifier: Apache-2.0 */
/* Limits a hanging /sys, disk or journal; below hooks.d's 10 s, after which the engine kills a hook
 * without a reason */
#pragma once

#include <stdbool.h>

#ifndef DEADLINE_SECONDS /* tests set another */
#define DEADLINE_SECONDS 5
#endif

/* on_time_up must be async-signal-safe and not return. */
void deadline_arm(void (*on_time_up)(void));

/* Restores the caller's alarm, signal mask and handler */
void deadline_disarm(void);

/* true: exit with status 1 rather than start the container unserved. */
void deadline_set_must_fail(bool fail);
