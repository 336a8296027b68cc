/* SPDX-License-Identifier: Apache-2.0 */
/* Whether containers were missed: a look at one that is about to start, or at all that run */
#pragma once

#include <stdint.h>

#include "core/container/container.h"
#include "nri/message/nri.pb-c.h"

#define ENTRY_POINT "nri" /* as lines and records name this entry point */

/* Of one that is missed the log and its record tell. */
enum look_result {
	LOOK_NOTHING,
	LOOK_REFUSED, /* it must not start */
	LOOK_UNSEEN,  /* it could not be decided about */
};

struct look {
	const struct options *options;
	const struct known *known; /* what the runtime has told at Synchronize. If a part is lost,
				      no record is forgotten because its container is not there. */
};

/*
 * A record goes when its engine no longer has the container, unless it is so new that the engine
 * may not name its container yet: CRI-O and the kubelet wait 4 and 2 minutes for a creation.
 */
#define RECORD_NEW_MS (5 * 60 * INT64_C(1000))

/* In a child. look: a struct look. Writes to out how many are unseen, a uint64_t, at the end. */
void examine_running(void *look, int out);

/* One that is about to start; its spec is read. */
enum look_result examine_starting(const struct options *options, const Nri__Container *told,
				  struct container *container);
