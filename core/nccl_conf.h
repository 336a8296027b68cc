/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /etc/nccl.conf inside the container, the only way for a hook to pass values to NCCL. NCCL reads
 * it last, so the environment and a user's own file win, and every process of the container reads
 * it, `exec` included (ncclInitEnv in NCCL's src/misc/param.cc). All that is known of the file is
 * here: where it is, what its image wrote, which lines are ours, and what hides it.
 *
 * The image's author controls the root file system, so every look-up stays below the root's
 * descriptor.
 */
#ifndef OCI_RDMA_NCCL_CONF_H
#define OCI_RDMA_NCCL_CONF_H

#include <stdbool.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/spec/spec.h"

#define NCCL_CONF "etc/nccl.conf"
#define NCCL_CONF_MAX (1024 * 1024)

/*
 * Our lines stand between these two, behind those of the image. No '=' in a comment: NCCL before
 * 2.24 knows no comments and skips only lines without one.
 */
#define NCCL_CONF_BEGIN "# oci-rdma-hook begin: written at each start of this container\n"
#define NCCL_CONF_END "# oci-rdma-hook end\n"

/*
 * The text of /etc/nccl.conf, "" where there is none. A symbolic link is followed inside the root
 * to a file that everybody may read; any other link counts as an empty file. It is an error if the
 * file is neither regular nor a link, or if it contains a NUL, at which NCCL stops.
 */
int nccl_conf_read(struct arena *arena, int root, struct fs_text *ret_text, struct err *err);

/*
 * Removes our blocks from the text, in place: an image that was committed from a container may
 * contain some. If somebody removed a block's last line, only its first line is removed.
 */
void nccl_conf_strip(struct fs_text *text);

/* The value that NCCL reads there, which is the first of the name, with its length; NULL: none. */
const char *nccl_conf_value(const struct fs_text *text, const char *name, size_t *ret_len);

/* The destination of the mount that covers the file, in the spec; NULL: none. A mount hides what is
 * written below it, and a volume's content is not ours to change. */
const char *nccl_conf_mount(const struct spec *spec);

/*
 * Puts lines ("NAME=value\n"…, "" for none) behind the image's own text, in a block of ours that a
 * later run replaces. Does nothing if the file already is so. A symbolic link is replaced by a file
 * with the text that it showed inside the image; any other type of file stays, and is an error.
 * The file, and an /etc that is made for it, belong to the owner of the root directory: in a user
 * namespace that is another id, as the host sees it, and an idmapped mount says it as well.
 */
int nccl_conf_write(int root, const char *lines, bool *ret_changed, struct err *err);

/*
 * RCCL reads /etc/rccl.conf instead (src/misc/param.cc, initEnv): makes that a link to nccl.conf,
 * unless the image has the file.
 */
void rccl_conf_link(int root);

#endif
