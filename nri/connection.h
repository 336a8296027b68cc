/* SPDX-License-Identifier: Apache-2.0 */
/* The socket to the runtime. It never blocks. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "core/base/err.h"
#include "nri/wire/ttrpc.h"

/* The socket to the runtime. It never blocks. */

/* Returns a descriptor that the caller owns, or -1. */
int link_connect(const char *path, struct err *err);

/* Returns how much it read, 0 if there is nothing now, or -1: the connection is over. */
ssize_t link_read(int fd, void *bytes, size_t size, struct err *err);

/* Sends what it can, and takes that out. Returns 0 or -1. */
int link_write(int fd, struct buffer *out, struct err *err);
