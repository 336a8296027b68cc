/* SPDX-License-Identifier: Apache-2.0 */
/* The file of this program */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define OWN_FILE_LINK "/proc/self/exe"

/* Whether the file of this program is gone, and no other one is in its place. False also if that
 * cannot be told. link: OWN_FILE_LINK, or what stands for it in a test. path: gets the file's. */
bool own_file_is_removed(const char *link, char *path, size_t size);
