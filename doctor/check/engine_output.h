/* SPDX-License-Identifier: Apache-2.0 */
/* What an engine's own program says of its configuration */
#ifndef OCI_RDMA_DOCTOR_ENGINE_OUTPUT_H
#define OCI_RDMA_DOCTOR_ENGINE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/fs.h"

/* How long one may take: the check that asks has this much more for each question. */
#define ENGINE_OUTPUT_SECONDS 5

/*
 * arguments: the program's path first, NULL last. True if it has printed at most max bytes of text,
 * and ended well in time; one that hangs is killed.
 */
bool engine_output(struct arena *arena, const char *const *arguments, size_t max,
		   struct fs_text *ret_text);

#endif
