/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Sends a datagram; the receiver adds the time. Never waits for a stuck journal, unlike syslog(3).
 * False on failure. Async-signal-safe. */
bool journal_send(const char *message, size_t len);
