/* SPDX-License-Identifier: Apache-2.0 */
/* A session with a story of its own, and requests that a runtime could send */
#ifndef TESTS_UNIT_NRI_SESSION_STORY_H
#define TESTS_UNIT_NRI_SESSION_STORY_H

#include "tests/unit/nri/nri.h"

#include "nri/message/message.h"
#include "nri/session.h"
#include "nri/wire/wire.h"

#define MEMLOCK (8 * 1024 * 1024)

struct story {
	struct session session;
	struct spec spec; /* of the last container */
	struct arena arena;
	unsigned created;
	unsigned lost; /* that could not be read */
	unsigned synchronized;
	bool whole;
	unsigned pods; /* that are there already */
	unsigned containers;
	char last_id[80];
	bool last_has_device;
	char runtime[64];
	char version[64];
};

/* What the recorded plugin answered */
static inline void on_create(void *context, struct arena *arena, const struct message *pod,
			     const struct message *container, struct message *ret_response)
{
	static const char *const names[] = {"NCCL_IB_HCA"};
	static const char *const values[] = {"=mlx5_6,mlx5_7"};
	const struct message_adjustment adjustment = {names, values, 1, true, MEMLOCK, MEMLOCK};
	struct story *story = context;
	struct message answer;
	struct err err;

	story->created++;
	arena_free(&story->arena);
	if (!container ||
	    message_read_container(&story->arena, pod, container, &story->spec, &err) < 0) {
		story->lost++;
		return;
	}
	assert_int_equal(message_adjust(arena, &adjustment, &answer), 0);
	assert_int_equal(message_response(arena, &answer, ret_response), 0);
}

static inline void on_configured(void *context, const struct message_runtime *runtime)
{
	struct story *story = context;

	(void)snprintf(story->runtime, sizeof(story->runtime), "%s", runtime->name);
	(void)snprintf(story->version, sizeof(story->version), "%s", runtime->version);
}

static inline void on_synchronized(void *context, bool whole)
{
	struct story *story = context;

	story->synchronized++;
	story->whole = whole;
}

static inline void on_known(void *context, const struct message *request)
{
	struct message left = *request;
	struct story *story = context;
	struct message_glance glance;
	struct field field;

	while (field_next(&left, &field) > 0) {
		story->pods += field.number == MESSAGE_POD;
		if (field.number != MESSAGE_CONTAINER)
			continue;
		story->containers++;
		message_glance(&field.bytes, &glance);
		(void)snprintf(story->last_id, sizeof(story->last_id), "%.*s", (int)glance.id_len,
			       glance.id);
		story->last_has_device = glance.may_have_device && !glance.stopped;
	}
}

static const struct session_handler handler = {
	.create = on_create,
	.configured = on_configured,
	.known = on_known,
	.synchronized = on_synchronized,
};

static inline void begin(struct story *story)
{
	struct err err;

	*story = (struct story){0};
	assert_int_equal(session_begin(&story->session, &handler, story, &err), 0);
}

/* In memory of its exact size, which the sanitizers watch */
static inline int hear(struct story *story, const unsigned char *bytes, size_t len, struct err *err)
{
	char *copy = unit_exact((const char *)bytes, len);
	int status = session_read(&story->session, (const unsigned char *)copy, len, err);

	free(copy);
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
	struct buffer frames = empty_buffer();
	struct err err;

	assert_int_equal(
		ttrpc_write(&frames, MUX_PLUGIN, TTRPC_REQUEST, call, request->bytes, request->len),
		0);
	buffer_free(request);
	buffer_clear(&story->session.out);
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
	put_container(&payload, &container);
	return payload;
}

static inline void call_method_of(struct story *story, const char *service, const char *method,
				  const void *payload, size_t len)
{
	struct buffer request = request_of(service, method);

	put_bytes(&request, 3, payload, len);
	say(story, 7, &request);
}

/* The status of our answer to call 7 */
static inline int answered(const struct story *story)
{
	const struct buffer *out = &story->session.out;
	const struct message body = {out->bytes + MUX_HEADER + TTRPC_HEADER,
				     out->len - MUX_HEADER - TTRPC_HEADER};
	WITH_ARENA;
	const char *text;
	int status;

	assert_true(out->len >= MUX_HEADER + TTRPC_HEADER);
	assert_int_equal(out->bytes[MUX_HEADER + 7], 7);
	assert_int_equal(out->bytes[MUX_HEADER + 8], TTRPC_RESPONSE);
	assert_int_equal(message_read_response(&arena, &body, &status, &text, &err), 0);
	return status;
}

#endif
