/* SPDX-License-Identifier: Apache-2.0 */
/* What shows which containers need the shim */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

#include "admin/engine/crio.h"
#include "core/base/arena.h"
#include "core/json/document.h"

struct needs {
	struct arena *arena;
	int root; /* the node */
	struct crio crio;
	const char **seen; /* ids of containers already judged */
	size_t n_seen;
	size_t seen_room;
	size_t n; /* things that need the shim */
};

/* Prints to stderr what needs the shim, and what to do. */
void needs_say(struct needs *needs, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* NULL without a directory. Reports an unreadable one, which may hold containers. Here and below,
 * only arena.failed shows a lack of memory. */
DIR *needs_open(struct needs *needs, const char *path);

/* Next name without a leading dot, or NULL; reports read errors. */
const char *needs_next(struct needs *needs, DIR *dir, const char *path);

/* Reports path as unreadable, unless error (errno) means that nothing is there. */
void needs_unread(struct needs *needs, const char *path, int error);

/* False if unreadable, which is reported, or invalid: its engine does not know the container any
 * more. */
bool needs_read_json(struct needs *needs, struct arena *arena, const char *path, size_t max,
		     struct json_document *ret_doc);
