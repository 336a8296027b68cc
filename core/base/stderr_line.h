/* SPDX-License-Identifier: Apache-2.0 */
/* Reports failures to the caller, async-signal-safe. A missing or slow reader neither delays exit
 * nor changes its status. */
#pragma once

#include <stdbool.h>

/* Writes "NAME: REASON" to stderr and the runtime's log, cut at PIPE_BUF. */
void stderr_line(const char *name, const char *reason);

/* The runtime's --log (or NULL) and --log-format, all that containerd and Docker read. Opened at
 * the first message, as the runtime would. */
void stderr_use_runtime_log(const char *path, bool json);

/* Stops messages: somebody else may have chosen stderr's target. */
void stderr_mute(void);
