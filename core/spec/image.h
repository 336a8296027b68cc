/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the container's image says of NCCL, in its /etc/nccl.conf, as far as the root file system
 * can be seen when we run.
 *
 * The root file system belongs to the image's author, and its paths to nobody: every look-up stays
 * below the root's descriptor.
 */
#ifndef OCI_RDMA_IMAGE_H
#define OCI_RDMA_IMAGE_H

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"

#define IMAGE_NCCL_CONF "etc/nccl.conf"
#define IMAGE_NCCL_CONF_MAX (1024 * 1024)

/*
 * Our lines stand between these two, behind those of the image. No '=' in a comment: NCCL before
 * 2.24 knows no comments and skips only lines without one.
 */
#define IMAGE_BLOCK_BEGIN "# oci-rdma-hook begin: written at each start of this container\n"
#define IMAGE_BLOCK_END "# oci-rdma-hook end\n"

/*
 * The container's root directory. path: root.path of config.json, relative to the bundle's
 * descriptor unless absolute. Refuses "" and whatever is the host's own root. Returns a descriptor
 * that the caller owns, or -1.
 */
int rootfs_open(int bundle, const char *path, struct err *err);

/*
 * The text of /etc/nccl.conf, "" where there is none. A symbolic link is followed inside the root,
 * to a file that everybody may read; one that leads to anything else says nothing. What is neither
 * a regular file nor a link is an error, and so is a text that holds a NUL, at which NCCL ends.
 */
int image_read_nccl_conf(struct arena *arena, int root, struct fs_text *ret_text, struct err *err);

/*
 * Takes blocks of ours out of the text, in place: an image that was committed from a container may
 * hold some, and an edited one a block without its end, of which the first line alone goes.
 */
void image_strip_blocks(struct fs_text *text);

/* The value that NCCL reads there, which is the first of the name, with its length; NULL: none. */
const char *image_value(const struct fs_text *text, const char *name, size_t *ret_len);

#endif
