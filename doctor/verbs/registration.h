/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much memory ibv_reg_mr takes, found by trying: RLIMIT_MEMLOCK says one thing, CAP_IPC_LOCK,
 * user namespaces and what is pinned already say another.
 */
#ifndef OCI_RDMA_VERBS_REGISTRATION_H
#define OCI_RDMA_VERBS_REGISTRATION_H

#include <stddef.h>

#include "doctor/verbs/device.h"
#include "doctor/verbs/trouble.h"

/* More than this is not tried: a page of the probe must not be pinned too often. */
#define REGISTRATION_MAX ((size_t)64 << 30)

struct registration {
	size_t most;    /* the largest that passed; 0: none */
	size_t refused; /* the smallest that did not; 0: all up to the maximum passed */
	int errnum;     /* why */
};

/*
 * One MR that grows up to max bytes. Needs 4 MiB of memory, whatever max is. -1: it could not be
 * tried; *trouble says why.
 */
int registration_probe(const struct verbs *verbs, const struct verbs_device *device, size_t max,
		       struct registration *ret_registration, struct trouble *trouble);

/*
 * What the probe does its search by: attempt returns 0 or an errno, and what is larger than a
 * refused amount is refused. Doubles from page to max, then halves the gap down to a page.
 */
struct registration registration_search(int (*attempt)(void *context, size_t bytes), void *context,
					size_t page, size_t max);

#endif
