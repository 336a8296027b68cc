/* SPDX-License-Identifier: Apache-2.0 */
/* A session with its own story, and possible requests */
#pragma once

#include "tests/unit/nri/nri.h"

#include "nri/message/message.h"
#include "nri/message/message_spec.h"
#include "nri/session.h"
#include "nri/wire/field.h"
#include "nri/wire/ttrpc.h"

#define MEMLOCK (8 * 1024 * 1024)

struct story {
	struct session session;
	struct spec spec; /* of the last container */
	struct arena arena;
	unsigned created;
	unsigned started;
	unsigned lost; /* unreadable ones */
	unsigned synchronized;
	char runtime[64];
	char version[64];
};

/* What the recorded plugin answered */
static inline void answer_container(struct arena *arena, struct call *call)
{
	Nri__CreateContainerResponse response = NRI__CREATE_CONTAINER_RESPONSE__INIT;
	Nri__ContainerAdjustment adjust = NRI__CONTAINER_ADJUSTMENT__INIT;
	Nri__Entry variable = NRI__ENTRY__INIT;
	Nri__Entry *env[] = {&variable};
	Nri__Rlimit rlimit = NRI__RLIMIT__INIT;
	Nri__Rlimit *rlimits[] = {&rlimit};

	variable.key = (char *)"NCCL_IB_HCA";
	variable.value = (char *)"=mlx5_6,mlx5_7";
	rlimit.type = (char *)"RLIMIT_MEMLOCK";
	rlimit.soft = rlimit.hard = MEMLOCK;
	adjust.n_env = adjust.n_rlimits = 1;
	adjust.env = env;
	adjust.rlimits = rlimits;
	response.adjust = &adjust;
	assert_int_equal(message_response(arena, &response.base, &call->response), 0);
}

static inline void play(struct story *story, struct arena *arena, struct call *call)
{
	struct err err;

	story->synchronized += call->kind == CALL_SYNCHRONIZE;
	if (call->kind == CALL_CONFIGURE) {
		snprintf(story->runtime, sizeof(story->runtime), "%s", call->runtime->runtime_name);
		snprintf(story->version, sizeof(story->version), "%s",
			 call->runtime->runtime_version);
	}
	if (call->kind != CALL_CREATE && call->kind != CALL_START)
		return;
	story->created += call->kind == CALL_CREATE;
	story->started += call->kind == CALL_START;
	if (!call->container ||
	    message_spec(&story->arena, call->pod, call->container, &story->spec, &err) < 0)
		story->lost++;
	else if (call->kind == CALL_CREATE)
		answer_container(arena, call);
}

static inline void begin(struct story *story)
{
	struct err err;

	*story = (struct story){0};
	assert_int_equal(session_begin(&story->session, &err), 0);
}

/* In memory of exact size, for the sanitizers. The containers' texts stay. */
static inline int hear(struct story *story, const unsigned char *bytes, size_t len, struct err *err)
{
	char *copy = unit_exact((const char *)bytes, len);
	struct call call;
	int status = 0;

	for (size_t at = 0, n; status == 0 && at < len; at += n) {
		n = len - at < MUX_READ_MAX ? len - at : MUX_READ_MAX;
		status = mux_read(&story->session.mux, (unsigned char *)copy + at, n, err);
	}
	free(copy);
	while (status == 0 &&
	       (status = session_next(&story->session, &story->arena, &call, err)) > 0) {
		play(story, &story->arena, &call);
		status = session_answer(&story->session, &call, err);
	}
	return status;
}

static inline void finish(struct story *story)
{
	session_end(&story->session);
	arena_free(&story->arena);
}

#define cleanup_story __attribute__((cleanup(finish))) struct story
#define WITH_STORY                                                                                 \
	cleanup_story story;                                                                       \
	begin(&story)

/* ---- requests ---- */

static inline void say(struct story *story, uint32_t call, struct buffer *request)
{
	const struct message body = message_of(request);
	struct buffer frames = empty_buffer();
	struct err err;

	assert_int_equal(ttrpc_write(&frames, MUX_PLUGIN, TTRPC_REQUEST, call, &body), 0);
	buffer_free(request);
	empty(&story->session.out);
	assert_int_equal(hear(story, frames.bytes, frames.len, &err), 0);
	buffer_free(&frames);
}

#define SERVICE "nri.pkg.api.v1alpha1.Plugin"

/* A request without its payload */
static inline struct buffer request_of(const char *service, const char *method)
{
	struct buffer request = empty_buffer();

	put_text(&request, 1, service);
	put_text(&request, 2, method);
	return request;
}

/* CreateContainer's payload */
static inline struct buffer container_named(const char *name)
{
	struct buffer container = empty_buffer();
	struct buffer payload = empty_buffer();

	put_text(&container, 3, name);
	put_inside(&payload, 2, &container);
	return payload;
}

static inline void call_method_of(struct story *story, const char *service, const char *method,
				  const void *payload, size_t len)
{
	struct buffer request = request_of(service, method);

	put_bytes(&request, 3, payload, len);
	say(story, 7, &request);
}

/* The payload of our answer to call 7 has this many bytes; it is no error. */
static inline void answered_with(const struct story *story, int code, size_t len)
{
	const struct buffer *out = &story->session.out;
	const struct message body = {out->bytes + MUX_HEADER + TTRPC_HEADER,
				     out->len - MUX_HEADER - TTRPC_HEADER};
	const Nri__Response *response;
	cleanup_arena arena = {0};

	assert_true(out->len >= MUX_HEADER + TTRPC_HEADER);
	assert_int_equal(out->bytes[MUX_HEADER + 7], 7);
	assert_int_equal(out->bytes[MUX_HEADER + 8], TTRPC_RESPONSE);
	response = message_unpack(&arena, &nri__response__descriptor, &body);
	assert_non_null(response);
	assert_int_equal(response->status ? response->status->code : 0, code);
	assert_int_equal(response->payload.len, len);
}

static inline void answered(const struct story *story, size_t len)
{
	answered_with(story, 0, len);
}
