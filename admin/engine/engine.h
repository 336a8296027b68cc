/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/base/text.h"

#define ENGINE_FILE_SIZE_MAX (1024 * 1024)

/* Names in config/ and from --crio-handler: "rdma", or "rdma-RUNTIME" if not the engine's
 * default */
static inline bool names_handler(const char *name)
{
	return strcmp(name, "rdma") == 0 || text_starts_with(name, "rdma-");
}
