/* SPDX-License-Identifier: Apache-2.0 */
/* CRI-O's configuration, merged as CRI-O does, as far as a container's RDMA depends on it. */
#ifndef OCI_RDMA_CRIO_H
#define OCI_RDMA_CRIO_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"

#define CRIO_DIR "etc/crio"
#define CRIO_DROPINS CRIO_DIR "/crio.conf.d"
#define CRIO_STORAGE "/var/lib/containers/storage"
#define CRIO_FILE_SIZE_MAX (1024 * 1024)

/* A line of a handler's table */
struct crio_entry {
	const char *table;   /* the one below the handler's; "" in its own */
	const char *key;     /* without quotes */
	const char *spelled; /* "key = value" as the file has it */
};

struct crio_handler {
	const char *name;
	const char *runtime_path; /* "" if it is looked for in PATH by the handler's name */
	const char *runtime_type; /* "": oci */
	const char *monitor_path; /* "": conmon in PATH */
	bool inherits;            /* takes the default's path, whatever it says itself */
	struct crio_entry *entry; /* all of its keys */
	size_t n_entries;
	size_t entries_room;
	const char *file; /* that has its table */
};

struct crio_list {
	const char **item;
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
	struct crio_list hooks_dirs;
	const char **problem; /* a line for each file that could not be read */
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

/* Its hooks_dirs, ending with NULL, in the arena; NULL without memory. */
const char *const *crio_list_hooks_dirs(struct arena *arena, const struct crio *crio);

/* The handler of that name, or NULL */
struct crio_handler *crio_find_handler(const struct crio *crio, const char *name);

#endif
