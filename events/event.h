/* SPDX-License-Identifier: Apache-2.0 */
/* The API server validates the names */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/record/record.h"

enum event_answer {
	EVENT_POSTED,
	EVENT_THERE,   /* the name exists */
	EVENT_REFUSED, /* never accepted */
	EVENT_LATER,   /* not now */
};

/* JSON of a pod's record. Container, result and the record's ten minutes make the name: the API
 * server refuses duplicates. node: the reporter's. now: the latest event time, in seconds since
 * 1970 */
const char *event_text(struct arena *arena, const struct record *record, const char *node,
		       int64_t now, size_t *ret_len);

/* code: HTTP's; reason, message: metav1.Status's, or "" */
enum event_answer event_judge(long code, const char *reason, const char *message);
