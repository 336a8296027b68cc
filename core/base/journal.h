/* SPDX-License-Identifier: Apache-2.0 */
/* The node's journal */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Sends one datagram like syslog(3), but never waits: syslog(3) blocks if nobody reads, and a stuck
 * journal must not delay the start of a container. The receiver adds the time. Async-signal-safe.
 * False if nobody takes it.
 */
bool journal_send(const char *message, size_t len);
