/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is told of a pod's container, as an Event of Kubernetes (events.k8s.io/v1). A record's
 * texts come from pods and their authors: names that Kubernetes could not have given are refused,
 * since they become part of a URL.
 */
#ifndef OCI_RDMA_EVENTS_EVENT_H
#define OCI_RDMA_EVENTS_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/record/store.h"

/* The longest of each (k8s.io/apimachinery, pkg/util/validation), and a NUL */
#define EVENT_LABEL_SIZE 64
#define EVENT_NAME_SIZE 254
#define EVENT_UID_SIZE 65

struct event {
	char namespace[EVENT_LABEL_SIZE];
	char pod[EVENT_NAME_SIZE];
	char uid[EVENT_UID_SIZE];         /* "": not known */
	char container[EVENT_LABEL_SIZE]; /* "": not known */
	char id[128 + 1];                 /* of the container that was told of last */
	char reason[RECORD_REASON_MAX + 1];
	enum record_result result;
	int64_t first; /* when: seconds since 1970 */
	int64_t last;
	int64_t recorded; /* the first one's time as its record has it, of which the name is made */
	unsigned count;   /* how often since the last event of the same */
};

/* Checks the names, and copies. A uid that cannot be one is left out. Returns 0 or -1. */
int event_take(const struct record *record, struct event *ret_event, struct err *err);

/* Two of the same container's name and result in a pod are one story. */
bool event_is_same(const struct event *a, const struct event *b);

/*
 * The name that the event has in its namespace: the same for the same pod, container, result and
 * first record, so that one that is posted twice is refused as there already. It does not depend on
 * when the record was read: a clock that was set back must not make two names of one record.
 */
void event_name(const struct event *event, char name[EVENT_NAME_SIZE]);

/* The JSON text in the arena. node: the reporter's. NULL without memory */
const char *event_text(struct arena *arena, const struct event *event, const char *node,
		       size_t *ret_len);

#endif
