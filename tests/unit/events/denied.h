/* SPDX-License-Identifier: Apache-2.0 */
/* A record of a container that was denied, and the event of a record */
#ifndef TESTS_UNIT_EVENTS_DENIED_H
#define TESTS_UNIT_EVENTS_DENIED_H

#include "tests/unit/unit.h"

#include "core/record/record.h"
#include "events/event.h"

#define NOW 1795000000 /* seconds since 1970 */

static const struct record denied = {
	.id = "c1",
	.container = "trainer",
	.pod = "h-kim-0",
	.pod_namespace = "team-a",
	.pod_uid = "944c324a-7958-438a-b04f-699cedbf673d",
	.result = RECORD_DENIED,
	.reason = "namespace team-a is not among the namespaces",
	.entry_point = "nri",
	.time = NOW,
};

static inline struct event event_of(const struct record *record)
{
	struct event event;
	struct err err;

	assert_int_equal(event_take(record, &event, &err), 0);
	return event;
}

#endif
