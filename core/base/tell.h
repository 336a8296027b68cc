/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reason for whoever started us, where he looks. Nobody may read it, or have stopped to: a full
 * pipe, a FIFO, a closed end change neither when we end nor how. Async-signal-safe.
 */
#ifndef OCI_RDMA_TELL_H
#define OCI_RDMA_TELL_H

#include <stdbool.h>

/* "NAME: REASON" as one line on stderr, and in the runtime's log if there is one. What is longer
 * than a pipe takes at once (PIPE_BUF) is cut. */
void tell(const char *name, const char *reason);

/*
 * The runtime's --log and --log-format: containerd and Docker look there only. path: NULL for none;
 * opened when there is something to say, as the runtime would open it.
 */
void tell_runtime_log(const char *path, bool json);

#endif
