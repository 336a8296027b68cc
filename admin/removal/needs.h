/* SPDX-License-Identifier: Apache-2.0 */
/* What shows which containers run through the shim */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

#include "admin/engine/crio.h"
#include "core/base/arena.h"
#include "core/json/document.h"

/* What is found there is printed. */

struct needs {
	struct arena *arena;
	int root; /* the node */
	struct crio crio;
	const char **seen; /* ids of containers that have been judged already */
	size_t n_seen;
	size_t seen_room;
	size_t n; /* how many things need the shim */
};

/* Prints one line on stderr about something that needs the shim: what it is, and what to do. */
void needs_say(struct needs *needs, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * A directory in which containers may be; NULL if there is none. Whatever cannot be read may hold
 * one: that is said, as if it did. If there is no memory, here and below, the arena says so.
 */
DIR *needs_open(struct needs *needs, const char *path);

/* Its next name that begins with no dot, or NULL at its end. If that end could not be reached, it
 * is said. */
const char *needs_next(struct needs *needs, DIR *dir, const char *path);

/* Says that path cannot be read, and why, unless error (of errno) means that nothing is there (any
 * more). */
void needs_unread(struct needs *needs, const char *path, int error);

/* The JSON of a file in which a container is described. False: it cannot be read, which is said, or
 * is no JSON, so that its engine knows no such container any more. */
bool needs_read_json(struct needs *needs, struct arena *arena, const char *path, size_t max,
		     struct json_document *ret_doc);
