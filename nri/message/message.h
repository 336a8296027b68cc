/* SPDX-License-Identifier: Apache-2.0 */
/* ttrpc's and NRI's messages (nri.proto), packed and unpacked in an arena: no sockets, no policy.
 */
#ifndef OCI_RDMA_NRI_MESSAGE_H
#define OCI_RDMA_NRI_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/spec/spec.h"
#include "nri/wire/wire.h"

/* What the runtime says of itself */
struct message_runtime {
	const char *name;
	const char *version;
	int64_t timeout_ms; /* of a request; 0: it does not say */
};

/* What a container is to be given beyond what it has */
struct message_adjustment {
	const char *const *names; /* of variables */
	const char *const *values;
	size_t n_variables;
	bool sets_memlock;
	uint64_t memlock_soft;
	uint64_t memlock_hard;
};

/* ---- read: 0, or -1 with the reason ---- */

/* A response: its status, and the text of one that is not 0 */
int message_read_response(struct arena *arena, const struct message *message, int *ret_status,
			  const char **ret_text, struct err *err);

/* Which runtime it is, of which version; texts live in the arena. */
int message_read_configure(struct arena *arena, const struct message *message,
			   struct message_runtime *ret_runtime, struct err *err);

/*
 * The packed pod and container of CreateContainer and StartContainer, or with is_event of a
 * StateChange that says the same. Returns 0, or -1 if it is another event, or no such message.
 */
int message_parts(const struct message *message, bool is_event, struct message *ret_pod,
		  struct message *ret_container);

/*
 * A container, as its config.json would be read: what NRI has no field for (capabilities, seccomp,
 * user namespace) is as if config.json said nothing of it. pod NULL: not known
 */
int message_read_container(struct arena *arena, const struct message *pod,
			   const struct message *container, struct spec *ret_spec, struct err *err);

/* ---- what is there already (Synchronize) ---- */

/* Fields of SynchronizeRequest. Several requests one behind the other are one, as everywhere in
 * protobuf. */
enum message_known {
	MESSAGE_POD = 1,
	MESSAGE_CONTAINER = 2,
	MESSAGE_MORE = 3, /* requests follow */
};

/* The pod or container of that id, in a SynchronizeRequest; NULL: there is none */
const struct message *message_find(const struct message *known, enum message_known kind,
				   const char *id, struct message *ret_found);

struct message_glance {
	const char *id; /* not NUL-terminated */
	size_t id_len;
	bool stopped;
	bool may_have_device; /* a verbs device by its number, or a device plugin's variable, which
				 any pod's author can write */
};

/* Looks at a packed Container, most of which are none of ours, without memory of its own. */
void message_glance(const struct message *container, struct message_glance *ret_glance);

struct message_state {
	const char *pod; /* the pod's id */
	int64_t pid; /* of the first process, in the node's pid namespace; 0: it has not begun */
	int64_t created; /* seconds since 1970; 0: not known */
};

/* What is read from a packed Container; its text lives in the arena. */
int message_read_state(struct arena *arena, const struct message *container,
		       struct message_state *ret_state);

/* ---- write: 0, or -1 without memory ---- */

/* The request that registers us */
int message_register(struct arena *arena, const char *name, const char *index,
		     struct message *ret_message);

/* Configure's answer: the events that we want to hear, a bit each */
int message_events(struct arena *arena, int32_t events, struct message *ret_message);

/* Synchronize's answer */
int message_more(struct arena *arena, bool more, struct message *ret_message);

/* CreateContainer's answer */
int message_adjust(struct arena *arena, const struct message_adjustment *adjustment,
		   struct message *ret_message);

/* The response around an answer */
int message_response(struct arena *arena, const struct message *answer,
		     struct message *ret_message);

/* The response that says no. text becomes printable UTF-8: Go refuses a string that is none. */
int message_refusal(struct arena *arena, int status, const char *text, struct message *ret_message);

#endif
