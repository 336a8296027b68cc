/* SPDX-License-Identifier: Apache-2.0 */
/* --check-removal: whether anything still needs the runtime shim, asked before it is taken off. */
#ifndef OCI_RDMA_REMOVAL_H
#define OCI_RDMA_REMOVAL_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

#include "admin/engine/engine.h"
#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/json/document.h"
#include "core/options.h"

/*
 * A container keeps the path of its runtime: without that program it can be neither stopped nor
 * removed, and CRI-O does not end. Prints a line on stderr for each container, pod or handler that
 * needs the shim, with what to do. Returns the exit status: 0 if it may go, else 1.
 */
int removal_check(const struct options *options);

/* ---- the places that show which containers run through the shim ---- */

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

/* Containers that run below a conmon of podman or CRI-O */
void needs_of_monitors(struct needs *needs);

/* CRI-O's pods of a handler with the shim, whether anything of them runs or not */
void needs_of_pods(struct needs *needs);

/* Containers that run through the shim below containerd, Docker's too, and the handlers with the
 * shim in containerd's configuration */
void needs_of_containerd(struct needs *needs);

/* Docker's runtimes, and its containers that do not run. Call it after those that do. */
void needs_of_docker(struct needs *needs);

#endif
