/* SPDX-License-Identifier: Apache-2.0 */
/* Our hooks.d files where engines read them, and what they name there. */
#ifndef OCI_RDMA_HOOKS_DIR_H
#define OCI_RDMA_HOOKS_DIR_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/policy/hooks_file.h"

/*
 * The directories of CRI-O (its own default and OpenShift's) and of podman, below the sysroot, the
 * one whose files win with podman first (in OpenShift the last one's do); ends with NULL. A
 * hooks_dir in crio.conf or containers.conf that is none of these is not looked for: name its
 * files.
 */
extern const char *const hooks_dirs[];

struct hooks_found {
	const char *path;       /* absolute, below the sysroot */
	const char *problem;    /* one line that names the file; NULL: it is right */
	struct hooks_file file; /* if it is right */
};

/*
 * Opens a file and checks all of it: its owner and mode and those of the directories on the way
 * (links are followed, but those are checked, too), what it says (hooks_file_read), the executable
 * that it names (below the sysroot: a regular file that can be run, as trusted), and that it is not
 * a precreate file in one of hooks_dirs, with which CRI-O does not start.
 *
 * root: where the file's path begins if it is absolute. sysroot: the node. Both are descriptors.
 * path: a relative one begins at the working directory. Returns 0 or -1.
 */
int hooks_check(struct arena *arena, int root, int sysroot, const char *path, int64_t timeout_min,
		struct hooks_file *ret_file, struct err *err);

/* The same for a file that has been opened so, and read */
int hooks_check_text(struct arena *arena, int root, int sysroot, const char *path,
		     const struct fs_text *text, int64_t timeout_min, struct hooks_file *ret_file,
		     struct err *err);

/*
 * Checks every *.json file of hooks_dirs that speaks of oci-rdma-hook. *ret_found is in the arena.
 * Returns 0, also when files have problems, or -1.
 */
int hooks_check_all(struct arena *arena, int sysroot, int64_t timeout_min,
		    struct hooks_found **ret_found, size_t *ret_n, struct err *err);

#endif
