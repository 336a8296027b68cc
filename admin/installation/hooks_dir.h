/* SPDX-License-Identifier: Apache-2.0 */
/* Our hooks.d files where engines read them, and what they name there. */
#ifndef OCI_RDMA_HOOKS_DIR_H
#define OCI_RDMA_HOOKS_DIR_H

#include <stddef.h>
#include <stdint.h>

#include "admin/installation/hooks_file.h"
#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"

/*
 * The directories of CRI-O (its own default and OpenShift's) and of podman, below the sysroot, the
 * one whose files win with podman first (in OpenShift the last one's do); ends with NULL. A
 * hooks_dir in containers.conf that is none of these is not looked for: name its files.
 */
extern const char *const hooks_dirs[];

/* Where hooks.d files are checked */
struct hooks_place {
	int root;    /* a descriptor: where a file's path begins if it is absolute */
	int sysroot; /* a descriptor: the node */
	const char *const
		*crio_dirs;  /* hooks_dir of CRI-O's configuration; ends with NULL, or is NULL */
	int64_t timeout_min; /* hooks_file_check_timeout; -1: any */
};

struct hooks_found {
	const char *path;       /* absolute, below the sysroot */
	const char *problem;    /* one line that names the file; NULL: it is right */
	struct hooks_file file; /* if it is right */
};

/*
 * Opens a file and checks all of it: its owner and mode and those of the directories on the way
 * (links are followed, but those are also checked), what it says (hooks_file_read), the executable
 * that it names (below the sysroot: a regular file that can be run, as trusted), and that it is not
 * a precreate file in a directory that CRI-O reads, with which CRI-O does not start.
 *
 * path: a relative one begins at the working directory. Returns 0 or -1.
 */
int hooks_check(struct arena *arena, const struct hooks_place *place, const char *path,
		struct hooks_file *ret_file, struct err *err);

/* The same for a file that has been opened so, and read */
int hooks_check_text(struct arena *arena, const struct hooks_place *place, const char *path,
		     const struct fs_text *text, struct hooks_file *ret_file, struct err *err);

/*
 * Checks every *.json file of hooks_dirs and crio_dirs that speaks of oci-rdma-hook. *ret_found is
 * in the arena. Returns 0, also when files have problems, or -1.
 */
int hooks_check_all(struct arena *arena, const struct hooks_place *place,
		    struct hooks_found **ret_found, size_t *ret_n, struct err *err);

#endif
