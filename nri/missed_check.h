/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

#include "core/container/container.h"
#include "nri/message/nri.pb-c.h"

#define ENTRY_POINT "nri" /* in logs and records */

enum look_result {
	LOOK_NOTHING,
	LOOK_REFUSED,
	LOOK_UNSEEN, /* could not be decided */
};

struct look {
	const struct options *options;
	const struct known *known; /* if .lost, keep all records */
};

/* Keep records of unlisted containers this long: they may be in creation (CRI-O waits 4 minutes,
 * the kubelet 2) */
#define RECORD_NEW_MS (5 * 60 * INT64_C(1000))

/* In a child. look: a struct look. out: the unseen count (uint64_t) */
void examine_running(void *look, int out);

/* container: with its spec */
enum look_result examine_starting(const struct options *options, const Nri__Container *told,
				  struct container *container);
