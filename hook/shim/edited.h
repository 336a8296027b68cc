/* SPDX-License-Identifier: Apache-2.0 */
/* An edited config.json or process.json, put in the place of the one that was read */
#ifndef OCI_RDMA_SHIM_EDITED_H
#define OCI_RDMA_SHIM_EDITED_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/base/fs.h"

struct edited {
	int dir;          /* the file's directory */
	const char *name; /* its name there */
	int fd;           /* it, as it was read: owner, mode and attributes are taken over */
	const char *what; /* its path, for errors */
	bool sync;        /* to the disk, as what outlives a crash of the node */
};

/* Replaces it at once and whole. Borrows the descriptors. Returns 0, or -1 with the reason. */
int edited_write(const struct edited *file, const struct fs_text *text, struct err *err);

#endif
