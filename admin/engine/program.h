/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

#include "core/base/arena.h"

/* CRI-O's PATH as systemd sets it, for messages */
#define PROGRAM_PATH "/usr/local/sbin, /usr/local/bin, /usr/sbin, /usr/bin"

/* True for a regular executable file; follows links below root. */
bool program_exists(int root, const char *path);

/* Finds name in an engine's PATH, or NULL; in the arena. */
const char *program_find(struct arena *arena, int root, const char *name);

/* True if the file's name begins so; follows links. */
bool program_is_called(int root, const char *path, const char *beginning);

/* True if both are one file */
bool program_is_same(int root, const char *a, const char *b);
