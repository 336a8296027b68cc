/* SPDX-License-Identifier: Apache-2.0 */
/* What the engines' configurations have in common */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/base/text.h"

#define ENGINE_FILE_SIZE_MAX (1024 * 1024)

/* The shim's handlers and runtimes, as config/ and --crio-handler call them: "rdma", and
 * "rdma-RUNTIME" for another runtime than the engine's default one */
static inline bool names_handler(const char *name)
{
	return strcmp(name, "rdma") == 0 || text_starts_with(name, "rdma-");
}
