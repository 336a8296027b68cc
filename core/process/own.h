/* SPDX-License-Identifier: Apache-2.0 */
/* What this process can give: its own limit and capabilities bound those of what it starts. */
#ifndef OCI_RDMA_OWN_H
#define OCI_RDMA_OWN_H

#include <stdint.h>

#include "core/base/err.h"

/*
 * What this process, and so what it starts, can raise its limit to; 0: to any. Without the right to
 * raise it (rootless podman) a runtime would fail at more.
 */
uint64_t own_memlock_max(void);

/* Whether it may raise it that far. Returns 0, or -1 with the reason. */
int own_may_have_memlock(uint64_t bytes, struct err *err);

/*
 * Those of these capabilities that neither this process nor what it starts can have: the bounding
 * set lacks them (capabilities(7)), and a runtime would fail at them. 0 also if that set cannot be
 * read.
 */
uint64_t own_lacks_capabilities(uint64_t capabilities);

#endif
