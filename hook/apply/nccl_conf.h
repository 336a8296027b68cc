/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /etc/nccl.conf inside the container: the one way in which a hook can give NCCL its values. NCCL
 * reads it last, so that the environment and a user's own file win, and every process of the
 * container reads it, `exec` included (ncclInitEnv in NCCL's src/misc/param.cc).
 *
 * The root file system belongs to the image's author, and its paths to nobody: every look-up stays
 * below the root's descriptor, and the last component is never followed.
 */
#ifndef OCI_RDMA_NCCL_CONF_H
#define OCI_RDMA_NCCL_CONF_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/err.h"

struct nccl_conf_owner {
	uid_t uid; /* the container's root, as the host's id */
	gid_t gid;
};

/*
 * The container's root directory. path: root.path of config.json, relative to the bundle's
 * descriptor unless absolute. Refuses "" and whatever is the host's own root. Returns a descriptor
 * that the caller owns, or -1.
 */
int rootfs_open(int bundle, const char *path, struct err *err);

/*
 * Puts lines ("NAME=value\n"…, "" for none) behind what the image's own file says, in a block of
 * ours that a later run replaces. Nothing changes if the file already says so. A symbolic link in
 * its place is replaced, not followed; what is no regular file is left alone, which is an error.
 */
int nccl_conf_write(int root, const char *lines, const struct nccl_conf_owner *owner,
		    bool *ret_changed, struct err *err);

#endif
