/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A directory of small files below /run/oci-rdma-hook, on a tmpfs: one for each container, or for
 * each thing that happened to it. Root owns the directory and the files, and nobody else can read
 * them. The size of a file and their number are bounded: one more removes the oldest.
 */
#ifndef OCI_RDMA_SHELF_H
#define OCI_RDMA_SHELF_H

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"

#define SHELF_PARENT "run/oci-rdma-hook"
#define SHELF_SUFFIX ".json"
#define SHELF_ID_MAX 128
#define SHELF_NAME_SIZE 160

struct shelf {
	const char *path; /* below the sysroot, in SHELF_PARENT */
	size_t size_max;
	size_t n_max;
};

/*
 * The name of a container's file: "ID.json", or "ID.KIND.json". Returns 0, or -1 if id is not an id
 * as engines make them.
 */
int shelf_name(const char *id, const char *kind, char name[SHELF_NAME_SIZE]);

/* sysroot: a descriptor. Returns a descriptor that the caller owns, -ENOENT, or -1 with the reason:
 * others than root can write it. */
int shelf_open(const struct shelf *shelf, int sysroot, struct err *err);

/*
 * Replaces a file. sysroot: a path. Makes the directories, which must be root's alone. Returns 0,
 * -ENOENT if the sysroot has no /run, or -1 with the reason.
 */
int shelf_write(const struct shelf *shelf, const char *sysroot, const char *name, const char *text,
		size_t len, struct err *err);

/*
 * dir: of shelf_open(). Returns 1 with the text in the arena, and with the path for errors; 0 if
 * there is no such file; or -1 if it cannot be read, or others than root can write it.
 */
int shelf_read(struct arena *arena, const struct shelf *shelf, int dir, const char *name,
	       const char **ret_what, struct fs_text *ret_text, struct err *err);

#endif
