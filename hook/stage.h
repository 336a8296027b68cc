/* SPDX-License-Identifier: Apache-2.0 */
/* One run as an OCI runtime hook. */
#ifndef OCI_RDMA_STAGE_H
#define OCI_RDMA_STAGE_H

#include "core/options.h"

enum stage {
	STAGE_CREATE_RUNTIME,
	STAGE_PRESTART, /* the older name: same place, same work */
	STAGE_POSTSTART,
};

/*
 * Reads the state JSON on stdin and applies the plan to the container. Returns the exit status: 0,
 * or 1 to keep the container from being created. poststart always returns 0: on crun a failing one
 * kills a container that already runs.
 */
int stage_run(const struct options *options, enum stage stage);

#endif
