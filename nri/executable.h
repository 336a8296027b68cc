/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define OWN_FILE_LINK "/proc/self/exe"

/* True if removed and not replaced; false if unknown. link: OWN_FILE_LINK except in tests */
bool own_file_is_removed(const char *link, char *path, size_t size);
