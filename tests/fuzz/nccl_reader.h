/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How NCCL reads what we give it, by the grammar of its sources: setEnvFile in src/misc/param.cc,
 * parseStringList and matchIfList in src/misc/utils.cc.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* before 2.24: no comments, and lines of any length; since then lines of 4095 bytes, '#' in the
 * first column, and CR before the newline is dropped */
enum nccl_version { NCCL_OLD, NCCL_NEW, NCCL_VERSIONS };

/*
 * The value that a variable has after a file was read, NUL-terminated in value (1024 bytes, which
 * is what NCCL keeps); false if the file does not set it. Of two lines the first holds (setenv
 * without overwrite).
 */
bool nccl_file_value(const char *file, size_t len, enum nccl_version version, const char *name,
		     char *value);

/* The variable that the file sets at *at, which is put behind its line; false at the end. Both
 * buffers hold 1024 bytes. */
bool nccl_next_variable(const char *file, size_t len, enum nccl_version version, size_t *at,
			char *name, char *value);

/* Whether NCCL_IB_HCA, or NCCL_SOCKET_IFNAME with port -1, selects a device's port. */
bool nccl_selects(const char *list, const char *device, int port);
