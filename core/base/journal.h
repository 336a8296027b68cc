/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Sends a datagram without the time, which the receiver adds. Never waits, unlike syslog(3): a
 * stuck journal must not delay containers. False on failure. Async-signal-safe. */
bool journal_send(const char *message, size_t len);
