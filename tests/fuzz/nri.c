/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a runtime says to the NRI plugin: the first byte says how it is cut, the rest is the stream.
 * The oracle takes the whole stream apart at once, with protobuf-c for ttrpc's Request, which the
 * plugin reads by itself.
 */
#include "fuzz.h"

#include "core/container/container.h"
#include "nri/message/message.h"
#include "nri/message/message_spec.h"
#include "nri/session.h"
#include "nri/wire/field.h"
#include "nri/wire/ttrpc.h"

struct story {
	struct session session;
	size_t n_created;
	size_t heard; /* pods and containers that are there already */
};

static void check_spec(const struct spec *spec)
{
	promise(spec->n_annotations <= SPEC_ANNOTATIONS_MAX);
	for (size_t i = 0; i < spec->n_annotations; i++)
		promise(spec->annotations[i].name && spec->annotations[i].value);
	for (size_t i = 0; i < spec->n_env; i++)
		promise(spec->env[i]);
	for (size_t i = 0; i < spec->n_devices; i++)
		promise(spec->devices[i].path);
	promise(!spec->identity.name || !text_has_control(spec->identity.name));
}

static void on_container(struct arena *arena, const Nri__PodSandbox *pod,
			 const Nri__Container *container)
{
	struct spec spec;
	struct err err;

	if (message_spec(arena, pod, container, &spec, &err) < 0)
		(void)fuzz_failed(&err);
	else
		check_spec(&spec);
}

static void on_known(struct story *story)
{
	const struct known *known = &story->session.known;

	promise(known->size <= SESSION_KNOWN_MAX);
	for (size_t i = 0; i < known->n; i++) {
		const struct field field = known->items[i];
		cleanup_arena arena = {0};
		const Nri__Container *container;

		story->heard++;
		if (field.number != SYNCHRONIZE_CONTAINER)
			continue;
		container = message_unpack(&arena, &nri__container__descriptor, &field.bytes);
		if (container)
			on_container(&arena, NULL, container);
	}
}

/* Returns what session_next() says in the end. */
static int answer_requests(struct story *story, struct err *err)
{
	for (;;) {
		cleanup_arena arena = {0};
		struct call call;
		int status = session_next(&story->session, &arena, &call, err);

		if (status <= 0)
			return status;
		promise(call.kind != CALL_CONFIGURE || call.runtime);
		story->n_created += call.kind == CALL_CREATE;
		if (call.kind == CALL_SYNCHRONIZE)
			on_known(story);
		if (call.container)
			on_container(&arena, call.pod, call.container);
		must(session_answer(&story->session, &call, err));
	}
}

static int play(struct story *story, const uint8_t *data, size_t size, size_t step)
{
	struct err err;

	*story = (struct story){0};
	must(session_begin(&story->session, &err));
	for (size_t place = 0; place < size; place += step) {
		size_t n = size - place < step ? size - place : step;

		if (mux_read(&story->session.mux, data + place, n, &err) < 0 ||
		    answer_requests(story, &err) < 0) {
			(void)fuzz_failed(&err);
			return -1;
		}
	}
	return 0;
}

static void end(struct story *story)
{
	session_end(&story->session);
}

/* ---- the oracle ---- */

/* The bytes of one stream of a text in whole frames; a cut frame counts as far as it goes. */
static struct message demultiplex(struct arena *arena, const uint8_t *data, size_t size,
				  uint32_t stream, size_t frame_max)
{
	unsigned char *bytes = arena_alloc(arena, size + 1);
	size_t len = 0;

	for (size_t place = 0; size - place >= MUX_HEADER;) {
		uint32_t which = integer_read(data + place);
		size_t frame = integer_read(data + place + 4);
		size_t there = size - place - MUX_HEADER;
		size_t n = frame < there ? frame : there;

		promise(frame <= frame_max);
		if (which == stream)
			memcpy(bytes + len, data + place + MUX_HEADER, n);
		len += which == stream ? n : 0;
		place += MUX_HEADER + n;
		if (n < frame)
			break;
	}
	return (struct message){bytes, len};
}

struct cursor {
	struct message stream;
	size_t place;
};

/* The next whole message of a stream. False behind the last one. */
static bool next(struct cursor *cursor, uint32_t *ret_call, uint8_t *ret_type,
		 struct message *ret_body)
{
	const unsigned char *at = cursor->stream.bytes + cursor->place;
	size_t there = cursor->stream.len - cursor->place;
	size_t len;

	if (there < TTRPC_HEADER)
		return false;
	len = integer_read(at);
	if (there - TTRPC_HEADER < len)
		return false;
	*ret_call = integer_read(at + 4);
	*ret_type = at[8];
	*ret_body = (struct message){at + TTRPC_HEADER, len};
	cursor->place += TTRPC_HEADER + len;
	return true;
}

/* What protobuf-c takes for a CreateContainer, the plugin does. False where protobuf-c reads
 * nothing: the rest is not compared. */
static bool count_created(size_t *created, const struct message *body)
{
	Nri__Request *request = nri__request__unpack(NULL, body->len, body->bytes);

	if (!request)
		return false;
	*created += strcmp(request->service, "nri.pkg.api.v1alpha1.Plugin") == 0 &&
		    strcmp(request->method, "CreateContainer") == 0;
	nri__request__free_unpacked(request, NULL);
	return true;
}

/* One answer for each request, in their order, of the same number, in small frames; nothing else */
static void check_answers(struct story *story, const uint8_t *data, size_t size)
{
	const struct buffer *out = &story->session.out;
	cleanup_arena arena = {0};
	struct cursor requests = {demultiplex(&arena, data, size, MUX_PLUGIN, MUX_READ_MAX), 0};
	struct cursor answers = {
		demultiplex(&arena, out->bytes, out->len, MUX_PLUGIN, MUX_WRITE_MAX - MUX_HEADER),
		0};
	struct message body;
	struct message answer;
	uint32_t call;
	uint32_t answered;
	uint8_t type;

	while (next(&requests, &call, &type, &body)) {
		if (type != TTRPC_REQUEST)
			continue;
		promise(next(&answers, &answered, &type, &answer));
		promise(answered == call && type == TTRPC_RESPONSE);
	}
	promise(answers.place == answers.stream.len);
}

static void compare_containers(const struct story *story, const uint8_t *data, size_t size)
{
	cleanup_arena arena = {0};
	struct cursor requests = {demultiplex(&arena, data, size, MUX_PLUGIN, MUX_READ_MAX), 0};
	struct message body;
	size_t created = 0;
	uint32_t call;
	uint8_t type;

	while (next(&requests, &call, &type, &body)) {
		if (type == TTRPC_REQUEST && !count_created(&created, &body))
			return;
	}
	promise(created == story->n_created);
}

static bool has_nul_in_names(const uint8_t *data, size_t size)
{
	/* Then protobuf-c and the plugin may take a name differently. */
	return memmem(data, size, "Plugin\0", 7) || memmem(data, size, "CreateContainer\0", 16);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t step = size ? data[0] % 61 + 1U : 1;
	struct story whole;
	struct story parts;
	int status;

	if (!size)
		return 0;
	data++;
	size--;
	status = play(&whole, data, size, size ? size : 1);
	promise(play(&parts, data, size, step) == status);
	promise(whole.n_created == parts.n_created && whole.heard == parts.heard);
	promise(whole.session.out.len == parts.session.out.len &&
		memcmp(whole.session.out.bytes, parts.session.out.bytes, whole.session.out.len) ==
			0);
	if (status == 0)
		check_answers(&whole, data, size);
	if (status == 0 && !has_nul_in_names(data, size))
		compare_containers(&whole, data, size);
	end(&whole);
	end(&parts);
	return 0;
}
