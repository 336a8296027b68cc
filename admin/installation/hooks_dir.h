/* SPDX-License-Identifier: Apache-2.0 */
/* hooks.d files where engines read them */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "admin/installation/hooks_file.h"
#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"

/*
 * The directories of podman, and in OpenShift of CRI-O, below the sysroot, the one whose files win
 * with podman first (in OpenShift the last one's do); ends with NULL. A hooks_dir in
 * containers.conf that is none of these is not looked for: name its files.
 */
extern const char *const hooks_dirs[];

/* Where hooks.d files are checked */
struct hooks_place {
	int root;    /* a descriptor: where a file's path begins if it is absolute */
	int sysroot; /* a descriptor: the node */
	const char *const *crio_dirs; /* CRI-O's hooks_dir, ends with NULL; NULL without a CRI-O */
	int64_t timeout_min;          /* hooks_file_check_timeout; -1: any */
};

struct hooks_found {
	const char *path;       /* absolute, below the sysroot */
	bool crio_reads;        /* else podman alone */
	bool ours;              /* it runs oci-rdma-hook, or speaks of it and cannot be read */
	const char *fault;      /* why no engine takes it, and CRI-O does not start; NULL */
	const char *problem;    /* of ours: one line that names the file; NULL: it is right */
	const char *unread;     /* the same: CRI-O runs the hook neither by this file nor another */
	struct hooks_file file; /* without fault */
	/* The file of the same name that is in force in its place (oci-hooks(5): that in the
	 * directory that is read last); NULL: it is in force itself, or would be */
	const char *override;
};

/*
 * Checks the text of a hooks.d file, the executable that it names (below the sysroot: a regular
 * file that can be run, as trusted), and that it is not a precreate file in a directory that CRI-O
 * reads, with which CRI-O does not start. path: a relative one begins at the working directory.
 * Returns 0 or -1.
 */
int hooks_check_text(struct arena *arena, const struct hooks_place *place, const char *path,
		     const struct fs_text *text, struct hooks_file *ret_file, struct err *err);

/*
 * Every *.json file of crio_dirs and hooks_dirs, in the order in which they are read; ours are
 * checked. *ret_found is in the arena. Returns 0, also when files have problems, or -1 without
 * memory.
 */
int hooks_list(struct arena *arena, const struct hooks_place *place, struct hooks_found **ret_found,
	       size_t *ret_n, struct err *err);
