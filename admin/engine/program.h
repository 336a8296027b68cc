/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

#include "core/base/arena.h"

/* CRI-O's PATH as systemd sets it, for messages */
#define PROGRAM_PATH "/usr/local/sbin, /usr/local/bin, /usr/sbin, /usr/bin"

/* Follows links below root */
bool program_exists(int root, const char *path);

/* Or NULL */
const char *program_find(struct arena *arena, int root, const char *name);

/* Follows links */
bool program_is_called(int root, const char *path, const char *beginning);

bool program_is_same(int root, const char *a, const char *b);
