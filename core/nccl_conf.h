/* SPDX-License-Identifier: Apache-2.0 */
/* A hook's only way to pass values to NCCL. All processes read it; the environment and a user's own
 * file win (NCCL's src/misc/param.cc, ncclInitEnv). An image controls the root: look-ups stay below
 * its descriptor. */
#pragma once

#include <stdbool.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/spec/spec.h"

#define NCCL_CONF "etc/nccl.conf"
#define NCCL_CONF_MAX (1024 * 1024)

/* No '=' in comments: NCCL before 2.24 skips only lines without. */
#define NCCL_CONF_BEGIN "# oci-rdma-hook begin: written at each start of this container\n"
#define NCCL_CONF_END "# oci-rdma-hook end\n"

/* "" if absent. Follows a link inside the root to a world-readable file; other links count as
 * empty. Errors: other types, a NUL, where NCCL stops */
int nccl_conf_read(struct arena *arena, int root, struct fs_text *ret_text, struct err *err);

/* Removes our blocks in place: an image committed from a container has them. If a block's last line
 * is missing, only its first line goes. */
void nccl_conf_remove_block(struct fs_text *text);

/* The first value of name, which NCCL takes; or NULL */
const char *nccl_conf_value(const struct fs_text *text, const char *name, size_t *ret_len);

/* The mount that hides the file; or NULL */
const char *nccl_conf_mount(const struct spec *spec);

/* Appends lines ("NAME=value\n"…, or "") as a block, replacing an older one. A link becomes a copy;
 * other types are errors. The file and a new /etc get the root's owner, for user namespaces. */
int nccl_conf_write(int root, const char *lines, bool *ret_changed, struct err *err);

/* Links /etc/rccl.conf, RCCL's file (src/misc/param.cc, initEnv), to nccl.conf unless it exists. */
void rccl_conf_link(int root);
