/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "admin/engine/toml.h"
#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"

#define CRIO_DIR "etc/crio"
#define CRIO_DROPINS CRIO_DIR "/crio.conf.d"
/* Those of --crio-handler begin so. */
#define CRIO_OWN_DROPIN CRIO_DROPINS "/60-oci-rdma-hook"

struct crio_handler {
	const char *name;
	const char *runtime_path;  /* "": its name in PATH */
	const char *runtime_type;  /* "": oci */
	const char *monitor_path;  /* "": conmon in PATH */
	bool inherits;             /* uses the default's path, even with its own */
	struct toml_items entries; /* .table: below its own */
	const char *file;          /* that defines it */
};

struct crio_list {
	const char **item; /* NULL-terminated */
	size_t n;
	const char *file; /* NULL: not set */
};

struct crio {
	bool installed;
	const char *default_runtime; /* NULL: not set */
	const char *default_file;
	const char *conmon; /* replaces every handler's monitor_path; "": not set */
	struct crio_handler *handler;
	size_t n_handlers;
	size_t handlers_room;
	struct crio_list ulimits;
	struct crio_list hooks_dirs; /* or default; .item is NULL without CRI-O */
	const char **problem;        /* a line per unreadable file */
	size_t n_problems;
	size_t problems_room;
};

/* Reads /etc/crio/crio.conf, then /etc/crio/crio.conf.d by name, hidden files too
 * (pkg/config/config.go, UpdateFromPath). Later values, lists and handlers replace earlier ones. */
int crio_read(struct arena *arena, int root, struct crio *ret_crio, struct err *err);

/* From `crio status config` */
int crio_read_text(struct arena *arena, const char *what, const struct fs_text *text,
		   struct crio *ret_crio, struct err *err);

/* NULL if there is none */
struct crio_handler *crio_find_handler(const struct crio *crio, const char *name);
