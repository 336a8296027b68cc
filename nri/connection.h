/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "core/base/err.h"
#include "nri/wire/ttrpc.h"

/* The caller owns the descriptor. */
int link_connect(const char *path, struct err *err);

/* Returns the length, 0 if nothing is ready, -1 if disconnected */
ssize_t link_read(int fd, void *bytes, size_t size, struct err *err);

/* Sends and removes what the socket takes. */
int link_write(int fd, struct buffer *out, struct err *err);
