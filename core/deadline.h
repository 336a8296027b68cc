/* SPDX-License-Identifier: Apache-2.0 */
/* Our own time limit, for a hanging /sys, disk or journal; below the hooks.d files' 10 s, because a
 * hook that the engine kills cannot give its reason. */
#pragma once

#include <stdbool.h>

#ifndef DEADLINE_SECONDS /* tests set another */
#define DEADLINE_SECONDS 5
#endif

/* on_time_up runs in a signal handler (async-signal-safe functions only) and must not return. */
void deadline_arm(void (*on_time_up)(void));

/* Also restores the caller's alarm, signal mask and handler. */
void deadline_disarm(void);

void deadline_set_must_fail(bool fail);
