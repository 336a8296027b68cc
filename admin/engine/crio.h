/* SPDX-License-Identifier: Apache-2.0 */
/* How CRI-O is configured, as far as a container's RDMA depends on it */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "admin/engine/toml.h"
#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"

#define CRIO_DIR "etc/crio"
#define CRIO_DROPINS CRIO_DIR "/crio.conf.d"
#define CRIO_STORAGE "/var/lib/containers/storage"

struct crio_handler {
	const char *name;
	const char *runtime_path;  /* "" if it is looked for in PATH by the handler's name */
	const char *runtime_type;  /* "": oci */
	const char *monitor_path;  /* "": conmon in PATH */
	bool inherits;             /* takes the default's path, whatever it says itself */
	struct toml_items entries; /* all of its keys; .table: the one below its own */
	const char *file;          /* that has its table */
};

struct crio_list {
	const char **item; /* ends with NULL */
	size_t n;
	const char *file; /* NULL: not set */
};

struct crio {
	bool installed;
	const char *default_runtime; /* NULL: not set */
	const char *default_file;
	const char
		*conmon; /* every handler's monitor_path, whatever the handler says; "": not set */
	const char *storage; /* [crio] root: where its containers are kept */
	struct crio_handler *handler;
	size_t n_handlers;
	size_t handlers_room;
	struct crio_list ulimits;
	struct crio_list hooks_dirs; /* or its default; .item is NULL without a CRI-O */
	const char **problem;        /* a line for each file that could not be read */
	size_t n_problems;
	size_t problems_room;
};

/*
 * /etc/crio/crio.conf, then /etc/crio/crio.conf.d in the order of the names (pkg/config/config.go,
 * UpdateFromPath), hidden ones too. A later value replaces an earlier one, lists are not joined,
 * and the table of a handler replaces that handler whole. Returns 0, or -1 without memory.
 */
int crio_read(struct arena *arena, int root, struct crio *ret_crio, struct err *err);

/* The whole configuration from one text, as `crio status config` prints it. Returns 0 or -1. */
int crio_read_text(struct arena *arena, const char *what, const struct fs_text *text,
		   struct crio *ret_crio, struct err *err);

/* The handler of that name, or NULL */
struct crio_handler *crio_find_handler(const struct crio *crio, const char *name);
