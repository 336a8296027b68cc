/* SPDX-License-Identifier: Apache-2.0 */
/* What an engine's own program says of its configuration */
#ifndef OCI_RDMA_DOCTOR_ENGINE_OUTPUT_H
#define OCI_RDMA_DOCTOR_ENGINE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/fs.h"

/*
 * arguments: the program's path first, NULL last. True if it has printed at most max bytes of text,
 * and ended well. One that hangs ends with the check that asks, which has a time limit: its pipe
 * breaks.
 */
bool engine_output(struct arena *arena, const char *const *arguments, size_t max,
		   struct fs_text *ret_text);

#endif
