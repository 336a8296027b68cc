/* SPDX-License-Identifier: Apache-2.0 */
/* Engines' programs, below a node's root */
#pragma once

#include <stdbool.h>

#include "core/base/arena.h"

/* CRI-O's PATH, as systemd gives it to a service, for people */
#define PROGRAM_PATH "/usr/local/sbin, /usr/local/bin, /usr/sbin, /usr/bin"

/* True for a regular file, links followed below root, that somebody may execute. */
bool program_exists(int root, const char *path);

/* Where an engine finds the program of that name, in the arena; NULL: nowhere. */
const char *program_find(struct arena *arena, int root, const char *name);

/* True if the file's own name, links followed below root, begins so. */
bool program_is_called(int root, const char *path, const char *beginning);

/* True if both paths lead to the same file. */
bool program_is_same(int root, const char *a, const char *b);
