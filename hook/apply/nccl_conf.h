/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /etc/nccl.conf inside the container: the one way in which a hook can give NCCL its values. NCCL
 * reads it last, so that the environment and a user's own file win, and every process of the
 * container reads it, `exec` included (ncclInitEnv in NCCL's src/misc/param.cc).
 */
#ifndef OCI_RDMA_NCCL_CONF_H
#define OCI_RDMA_NCCL_CONF_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/err.h"
#include "core/spec/image.h"

struct nccl_conf_owner {
	uid_t uid; /* the container's root, as the host's id */
	gid_t gid;
};

/*
 * Puts lines ("NAME=value\n"…, "" for none) behind what the image's own file says, in a block of
 * ours that a later run replaces. Nothing changes if the file already says so. A symbolic link is
 * replaced by a file that says what it showed inside the image; what is no regular file is left
 * alone, which is an error.
 */
int nccl_conf_write(int root, const char *lines, const struct nccl_conf_owner *owner,
		    bool *ret_changed, struct err *err);

/*
 * Takes our block away, for a container that is given nothing: an earlier start of it, or the
 * container that its image was committed from, may have been given some lines. The file keeps its
 * owner.
 */
int nccl_conf_clear(int root, struct err *err);

#endif
