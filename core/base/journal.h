/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OCI_RDMA_JOURNAL_H
#define OCI_RDMA_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * One datagram, as syslog(3) sends it, but never waiting: that function blocks where nobody reads,
 * and a stuck journal must not hold up the start of a container. The receiver adds the time.
 * Async-signal-safe. False where nobody takes it.
 */
bool journal_send(const char *message, size_t len);

#endif
