/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a grant's memlock limit may be set at all: an engine without the right would fail at it.
 */
#ifndef OCI_RDMA_LIMIT_H
#define OCI_RDMA_LIMIT_H

#include "core/container/container.h"
#include "hook/apply/spec_edit.h"

/*
 * Sets grant->inherited to our own limit: the runtime starts with it, and its process too where the
 * spec lists none.
 */
int limit_inherit(struct grant *grant, struct err *err);

/*
 * limit_inherit, and takes the memlock limit out of a grant for a process spec where the runtime
 * may not set it, which would keep the container from starting (rootless podman): a line in the log
 * under on_error "warn", else an error.
 */
int limit_grant(struct container *container, struct grant *grant, const char *way_in,
		struct err *err);

#endif
