/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's own time limit, DEADLINE_SECONDS. It is shorter than the timeout of 10 s in the
 * hooks.d files, because a hook that the engine kills cannot give its reason. What can hang on a
 * sick node is /sys, a disk, or the journal.
 */
#pragma once

#include <stdbool.h>

#ifndef DEADLINE_SECONDS /* a test builds it with another */
#define DEADLINE_SECONDS 5
#endif

/* on_time_up: called in a signal handler, where only async-signal-safe functions may be; does not
 * return. */
void deadline_arm(void (*on_time_up)(void));

/* Ends the limit; on_time_up is not called any more. */
void deadline_disarm(void);

/* From now on the container must fail rather than start unserved (core/report/outcome.h), by exit
 * status 1; or it may start. */
void deadline_set_must_fail(bool fail);
