/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the reason of a failure where the caller of this program looks for it. The reader may be
 * missing or slow: a full pipe, a FIFO or a closed end neither delays the end of the program nor
 * changes its exit status. Async-signal-safe.
 */
#pragma once

#include <stdbool.h>

/* "NAME: REASON" as one line on stderr, and in the runtime's log if there is one. What is longer
 * than a pipe takes at once (PIPE_BUF) is cut. */
void stderr_line(const char *name, const char *reason);

/*
 * The runtime's --log and --log-format: containerd and Docker read nothing else. path: NULL for
 * none; opened at the first message, as the runtime would open it.
 */
void stderr_use_runtime_log(const char *path, bool json);

/* Write no more messages: somebody else may have chosen where stderr leads. */
void stderr_mute(void);
