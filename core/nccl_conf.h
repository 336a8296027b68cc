/* SPDX-License-Identifier: Apache-2.0 */
/* /etc/nccl.conf inside the container, the only way for a hook to pass values to NCCL. NCCL reads
 * it last, so the environment and a user's own file win, and every process of the container reads
 * it, `exec` included (ncclInitEnv in NCCL's src/misc/param.cc). The image's author controls the
 * root file system, so every look-up stays below the root's descriptor. */
#pragma once

#include <stdbool.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/spec/spec.h"

#define NCCL_CONF "etc/nccl.conf"
#define NCCL_CONF_MAX (1024 * 1024)

/* Our lines stand between these two, behind those of the image. No '=' in a comment: NCCL before
 * 2.24 knows no comments, and skips only lines without one. */
#define NCCL_CONF_BEGIN "# oci-rdma-hook begin: written at each start of this container\n"
#define NCCL_CONF_END "# oci-rdma-hook end\n"

/* The text of /etc/nccl.conf, "" where there is none. A link is followed inside the root to a file
 * that everybody may read; any other link counts as an empty file. What is neither regular nor a
 * link is an error, and so is a NUL, at which NCCL stops. */
int nccl_conf_read(struct arena *arena, int root, struct fs_text *ret_text, struct err *err);

/* Removes our blocks, which an image has that was committed from a container, from the text in
 * place; of a block without its last line, only the first. */
void nccl_conf_remove_block(struct fs_text *text);

/* The value that NCCL reads there, which is the first of the name, with its length; NULL: none */
const char *nccl_conf_value(const struct fs_text *text, const char *name, size_t *ret_len);

/* The destination of the mount that hides the file, and is not ours to change; NULL: none */
const char *nccl_conf_mount(const struct spec *spec);

/* Puts lines ("NAME=value\n"…, "" for none) behind the image's own text, in a block of ours that a
 * later run replaces. *ret_changed: the file was not so yet. A link is replaced by a file with the
 * text that it showed; any other type of file stays, and is an error. The file, and an /etc that is
 * made for it, belong to the owner of the root, whose id the host sees in a user namespace. */
int nccl_conf_write(int root, const char *lines, bool *ret_changed, struct err *err);

/* RCCL reads /etc/rccl.conf instead (src/misc/param.cc, initEnv): makes that a link to nccl.conf,
 * unless the image has the file. */
void rccl_conf_link(int root);
