/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record as an Event of Kubernetes (events.k8s.io/v1). A record's texts come from pods and their
 * authors; the API server judges the names among them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/record/record.h"

enum event_answer {
	EVENT_POSTED,
	EVENT_THERE,   /* an event of this name is there already */
	EVENT_REFUSED, /* it will never be taken */
	EVENT_LATER,   /* it is not taken now, or does not reach the API server */
};

/*
 * The JSON text in the arena, of a record with a pod. The event's name is made of the record alone:
 * of the container, the result, and the ten minutes in which the record was made. So a second one
 * is refused as there already, whoever posts it, and whatever the clock says. node: the reporter's.
 * now: seconds since 1970; no event is of a later time. NULL without memory
 */
const char *event_text(struct arena *arena, const struct record *record, const char *node,
		       int64_t now, size_t *ret_len);

/* What the API server's answer means. code: of HTTP; reason, message: of its metav1.Status, or ""
 */
enum event_answer event_judge(long code, const char *reason, const char *message);
