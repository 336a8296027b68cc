/* SPDX-License-Identifier: Apache-2.0 */
/* A connection's story: what runtimes have said (tests/nri/sessions), cut, garbled, and what we
 * answer */
#include "nri.h"

#include "nri/message/message.h"
#include "nri/session.h"
#include "nri/wire/mux.h"

#define MEMLOCK (8 * 1024 * 1024)

/* The file's bytes, in the arena */
static struct message file_bytes(struct arena *arena, const char *session, const char *direction)
{
	char path[128];
	struct stat st;
	unsigned char *bytes;
	int fd;

	(void)snprintf(path, sizeof(path), "tests/nri/sessions/%s/%s.bin", session, direction);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	bytes = arena_alloc(arena, (size_t)st.st_size);
	assert_int_equal(read(fd, bytes, (size_t)st.st_size), st.st_size);
	(void)close(fd);
	return (struct message){bytes, (size_t)st.st_size};
}

/* ---- a session with a story of its own ---- */

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
	unsigned too_long;
	char last_id[80];
	bool last_has_device;
	char runtime[64];
	char version[64];
};

/* What the recorded plugin answered */
static void on_create(void *context, struct arena *arena, const struct message *request,
		      struct message *ret_response)
{
	static const char *const names[] = {"NCCL_IB_HCA"};
	static const char *const values[] = {"=mlx5_6,mlx5_7"};
	const struct message_adjustment adjustment = {names, values, 1, true, MEMLOCK, MEMLOCK};
	struct story *story = context;
	struct message answer;
	struct err err;

	story->created++;
	arena_free(&story->arena);
	if (!request || message_read_container(&story->arena, request, &story->spec, &err) < 0) {
		story->lost++;
		return;
	}
	assert_int_equal(message_adjust(arena, &adjustment, &answer), 0);
	assert_int_equal(message_response(arena, &answer, ret_response), 0);
}

static void on_configured(void *context, const struct message_runtime *runtime)
{
	struct story *story = context;

	(void)snprintf(story->runtime, sizeof(story->runtime), "%s", runtime->name);
	(void)snprintf(story->version, sizeof(story->version), "%s", runtime->version);
}

static void on_synchronized(void *context, bool whole)
{
	struct story *story = context;

	story->synchronized++;
	story->whole = whole;
}

static void on_pod(void *context, const struct message *pod)
{
	struct story *story = context;

	story->pods++;
	story->too_long += !pod;
}

static void on_container(void *context, const struct message *container)
{
	struct story *story = context;
	struct message_glance glance;

	story->containers++;
	story->too_long += !container;
	if (!container)
		return;
	message_glance(container, &glance);
	(void)snprintf(story->last_id, sizeof(story->last_id), "%.*s", (int)glance.id_len,
		       glance.id);
	story->last_has_device = glance.may_have_device && !glance.stopped;
}

static const struct session_handler handler = {
	.create = on_create,
	.configured = on_configured,
	.pod = on_pod,
	.container = on_container,
	.synchronized = on_synchronized,
};

static void begin(struct story *story)
{
	struct err err;

	*story = (struct story){0};
	assert_int_equal(session_begin(&story->session, &handler, story, &err), 0);
}

/* In memory of its exact size, which the sanitizers watch */
static int hear(struct story *story, const unsigned char *bytes, size_t len, struct err *err)
{
	char *copy = unit_exact((const char *)bytes, len);
	int status = session_read(&story->session, (const unsigned char *)copy, len, err);

	free(copy);
	return status;
}

static void finish(struct story *story)
{
	session_end(&story->session);
	arena_free(&story->arena);
}

#define cleanup_story __attribute__((cleanup(finish))) struct story

/* All that a recorded runtime has said, at once */
static void hear_recorded(struct story *story, const char *recorded)
{
	cleanup_arena arena = {0};
	struct message said = file_bytes(&arena, recorded, "r2p");
	struct err err;

	begin(story);
	assert_int_equal(hear(story, said.bytes, said.len, &err), 0);
	assert_int_equal(story->lost, 0);
}

/* The frame of the registration, which has the plugin's own name */
static size_t first_frame(const unsigned char *bytes)
{
	return MUX_HEADER + ((size_t)bytes[6] << 8 | bytes[7]);
}

static void same_answers(const struct story *story, const struct message *recorded)
{
	const struct buffer *out = &story->session.out;
	size_t ours = first_frame(out->bytes);
	size_t theirs = first_frame(recorded->bytes);

	assert_int_equal(out->len - ours, recorded->len - theirs);
	assert_memory_equal(out->bytes + ours, recorded->bytes + theirs, out->len - ours);
}

static const struct session_case {
	const char *name;
	const char *runtime;
	const char *version;
	const char *namespace;
	bool rlimits; /* in the message */
	bool network;
} session_cases[] = {
	{"containerd-1.7.24", "containerd", "1.7.24", "team-a", false, true},
	{"containerd-2.1.9", "containerd", "2.1.9", "team-a", false, true},
	{"containerd-2.4.0-beta.0", "containerd", "2.4.0-beta", "team-a", false, true},
	{"crio-1.37.0-dev", "cri-o", "1.37.0", "team-a", false, false},
};

static void answers_as_recorded(void **state)
{
	const struct session_case *row = *state;
	cleanup_arena arena = {0};
	struct message answered = file_bytes(&arena, row->name, "p2r");
	cleanup_story story;

	hear_recorded(&story, row->name);
	same_answers(&story, &answered);
	assert_int_equal(story.created, 1);
	assert_int_equal(story.synchronized, 1);
	assert_string_equal(story.runtime, row->runtime);
	assert_has(story.version, row->version);
}

static void reads_the_container(void **state)
{
	const struct session_case *row = *state;
	cleanup_story story;
	const struct spec *spec = &story.spec;

	hear_recorded(&story, row->name);
	assert_string_equal(spec->identity.name, "trainer");
	assert_string_equal(spec->identity.pod, "h-kim-0");
	assert_string_equal(spec->identity.pod_namespace, row->namespace);
	assert_int_equal(strlen(spec->identity.id), 64);
	assert_int_equal(strlen(spec->identity.sandbox_id), 64);
	assert_int_equal(spec->n_devices, 2);
	assert_string_equal(spec->devices[1].path, "/dev/infiniband/uverbs7");
	assert_true(spec->devices[0].character && spec->devices[0].major == 231);
	assert_int_equal(spec->devices[1].minor, 199);
	assert_string_equal(spec_getenv(spec, "PCIDEVICE_X"), "0000:3b:02.6");
	assert_string_equal(spec_annotation(spec, "inject")->value, "true");
	assert_true(spec->memory_limit);
	assert_false(spec->every_device);
	assert_int_equal(spec->has_memlock, row->rlimits);
	assert_int_equal(spec->network_namespace, row->network);
	assert_true(spec->n_mounts > 5);
}

static void cut_anywhere(void **state)
{
	const struct session_case *row = *state;
	cleanup_arena arena = {0};
	struct message said = file_bytes(&arena, row->name, "r2p");
	struct message answered = file_bytes(&arena, row->name, "p2r");
	struct err err;

	for (size_t cut = 1; cut < said.len; cut += cut < 600 ? 1 : 13) {
		cleanup_story story;

		begin(&story);
		assert_int_equal(hear(&story, said.bytes, cut, &err), 0);
		assert_int_equal(hear(&story, said.bytes + cut, said.len - cut, &err), 0);
		same_answers(&story, &answered);
	}
}

static void byte_by_byte(void **state)
{
	const struct session_case *row = *state;
	cleanup_arena arena = {0};
	struct message said = file_bytes(&arena, row->name, "r2p");
	struct message answered = file_bytes(&arena, row->name, "p2r");
	cleanup_story story;
	struct err err;

	begin(&story);
	for (size_t i = 0; i < said.len; i++)
		assert_int_equal(hear(&story, said.bytes + i, 1, &err), 0);
	same_answers(&story, &answered);
}

/* Each bit of a session flipped: an answer or an error, and nothing else (the sanitizers watch). */
static void flipped(void **state)
{
	const struct session_case *row = *state;
	cleanup_arena arena = {0};
	struct message said = file_bytes(&arena, row->name, "r2p");
	unsigned char *bytes = (unsigned char *)said.bytes;
	struct err err;

	for (size_t i = 0; i < said.len; i += i < 600 ? 1 : 11) {
		cleanup_story story;

		bytes[i] ^= (unsigned char)(1U << i % 8);
		begin(&story);
		if (hear(&story, bytes, said.len, &err) < 0)
			assert_one_line(&err);
		bytes[i] ^= (unsigned char)(1U << i % 8);
	}
}

/* ---- other recordings ---- */

static void hears_every_event(void **state)
{
	cleanup_story story;

	(void)state;
	hear_recorded(&story, "rec24");
	assert_int_equal(story.created, 1);
}

static void hears_others(void **state)
{
	static const char *const names[] = {"many", "req-present", "unlimited"};

	(void)state;
	for (size_t i = 0; i < LENGTH(names); i++) {
		cleanup_story story;

		hear_recorded(&story, names[i]);
		assert_int_equal(story.synchronized, 1);
	}
}

/* ---- requests of our own ---- */

static void say(struct story *story, uint32_t call, struct buffer *request)
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
static struct buffer request_of(const char *service, const char *method)
{
	struct buffer request = empty_buffer();

	put_text(&request, 1, service);
	put_text(&request, 2, method);
	return request;
}

/* CreateContainer's payload */
static struct buffer container_named(const char *name)
{
	struct buffer container = empty_buffer();
	struct buffer payload = empty_buffer();

	put_text(&container, 3, name);
	put_container(&payload, &container);
	return payload;
}

static void call_method_of(struct story *story, const char *service, const char *method,
			   const void *payload, size_t len)
{
	struct buffer request = request_of(service, method);

	put_bytes(&request, 3, payload, len);
	say(story, 7, &request);
}

/* Our answer to call 7: its status; *ret_text in the arena */
static int answered(struct arena *arena, const struct story *story, const char **ret_text)
{
	const struct buffer *out = &story->session.out;
	const struct message body = {out->bytes + MUX_HEADER + TTRPC_HEADER,
				     out->len - MUX_HEADER - TTRPC_HEADER};
	struct err err;
	int status;

	assert_true(out->len >= MUX_HEADER + TTRPC_HEADER);
	assert_int_equal(out->bytes[MUX_HEADER + 7], 7);
	assert_int_equal(out->bytes[MUX_HEADER + 8], TTRPC_RESPONSE);
	assert_int_equal(message_read_response(arena, &body, &status, ret_text, &err), 0);
	return status;
}

static const struct method_case {
	const char *name;
	const char *service;
	const char *method;
	int status;
} method_cases[] = {
	{"an unknown method is not implemented", SERVICE, "RemoveEverything", 12},
	{"a method of another service is not implemented", "other", "CreateContainer", 12},
	{"a method that begins like one of ours is none", SERVICE, "CreateContainers", 12},
	{"a method with a name of 10,000 bytes is not implemented", SERVICE, NULL, 12},
	{"a state that changes is heard", SERVICE, "StateChange", 0},
	{"an update that nobody asked for is heard", SERVICE, "UpdateContainer", 0},
	{"a validation is not objected to", SERVICE, "ValidateContainerAdjustment", 0},
	{"a container that stops is heard", SERVICE, "StopContainer", 0},
	{"a pod that changes is heard", SERVICE, "UpdatePodSandbox", 0},
	{"a shutdown is heard", SERVICE, "Shutdown", 0},
	{"an empty Configure is answered", SERVICE, "Configure", 0},
	{"an empty CreateContainer is answered", SERVICE, "CreateContainer", 0},
};

static void method_is_answered(void **state)
{
	const struct method_case *row = *state;
	static char longest[10001];
	cleanup_arena arena = {0};
	cleanup_story story;
	const char *text;

	memset(longest, 'x', sizeof(longest) - 1);
	begin(&story);
	call_method_of(&story, row->service, row->method ? row->method : longest, "", 0);
	assert_int_equal(answered(&arena, &story, &text), row->status);
}

static const struct payload_case {
	const char *name;
	const char *bytes;
	size_t len;
} payload_cases[] = {
	{"twelve bytes of 0xff", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12},
	{"a field that is longer than the message",
	 "\x0a\x7f"
	 "ab",
	 4},
	{"a group", "\x0b\x0c", 2},
	{"field number 0", "\x02\x00", 2},
	{"a varint of eleven bytes", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12},
	{"a container that is a number", "\x10\x01", 2},
	{"a pod without a container", "\x0a\x00", 2},
};

/* It would fail whatever container it is. */
static void garbage_is_no_error(void **state)
{
	const struct payload_case *row = *state;
	static const char *const methods[] = {"Configure", "Synchronize", "CreateContainer"};
	cleanup_arena arena = {0};
	const char *text;

	for (size_t i = 0; i < LENGTH(methods); i++) {
		cleanup_story story;

		begin(&story);
		call_method_of(&story, SERVICE, methods[i], row->bytes, row->len);
		assert_int_equal(answered(&arena, &story, &text), 0);
		assert_int_equal(story.lost, i == 2);
	}
}

static void order_of_fields_is_free(void **state)
{
	struct buffer payload = container_named("late");
	struct buffer request = empty_buffer();
	cleanup_story story;

	(void)state;
	put_inside(&request, 3, &payload);
	put_number(&request, 4, 1999900000);
	put_text(&request, 2, "StateChange");
	put_text(&request, 2, "CreateContainer");
	put_text(&request, 1, SERVICE);
	begin(&story);
	say(&story, 7, &request);
	assert_int_equal(story.created, 1);
	assert_int_equal(story.lost, 0);
	assert_string_equal(story.spec.identity.name, "late");
}

/* What came of it would be a container, without the annotations of its pod. */
static void a_request_that_is_cut_is_lost(void **state)
{
	struct buffer payload = container_named("whole");
	struct buffer request = request_of(SERVICE, "CreateContainer");
	cleanup_arena arena = {0};
	cleanup_story story;
	const char *text;

	(void)state;
	put_varint(&request, 3 << 3 | 2);
	put_varint(&request, payload.len + 1);
	put(&request, payload.bytes, payload.len);
	buffer_free(&payload);
	begin(&story);
	say(&story, 7, &request);
	assert_int_equal(answered(&arena, &story, &text), 0);
	assert_int_equal(story.created, 1);
	assert_int_equal(story.lost, 1);
}

/* As everywhere in protobuf, and nothing of the one before is left. */
static void of_two_payloads_the_last_holds(void **state)
{
	struct buffer container = empty_buffer();
	struct buffer first = empty_buffer();
	struct buffer second = container_named("second");
	struct buffer request = request_of(SERVICE, "CreateContainer");
	cleanup_story story;

	(void)state;
	put_text(&container, 8, "A=1");
	put_container(&first, &container);
	put_inside(&request, 3, &first);
	put_inside(&request, 3, &second);
	begin(&story);
	say(&story, 7, &request);
	assert_int_equal(story.lost, 0);
	assert_string_equal(story.spec.identity.name, "second");
	assert_int_equal(story.spec.n_env, 0);
}

static void synchronize_twice(struct story *story, const char *first, const char *last)
{
	struct buffer request = request_of(SERVICE, "Synchronize");

	begin(story);
	put_text(&request, 3, first);
	put_text(&request, 3, last);
	say(story, 7, &request);
}

/* Whether there is more: what the last payload says, in whatever the first one ends */
static void of_two_payloads_the_last_says_whether_there_is_more(void **state)
{
	static const char *const firsts[] = {"\x18\x01", "\x07", "\x18", "\x0a\x7f"};

	(void)state;
	for (size_t i = 0; i < LENGTH(firsts); i++) {
		cleanup_story all;
		cleanup_story more;

		synchronize_twice(&all, firsts[i], "");
		assert_int_equal(all.synchronized, 1);
		synchronize_twice(&more, firsts[i], "\x18\x01");
		assert_int_equal(more.synchronized, 0);
	}
}

/* The room for a name is bounded, however the name comes. */
static void a_long_name_in_pieces_is_not_implemented(void **state)
{
	static char longest[10001];
	struct buffer request;
	struct buffer frames = empty_buffer();
	cleanup_arena arena = {0};
	cleanup_story story;
	const char *text;
	struct err err;

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	request = request_of(SERVICE, longest);
	assert_int_equal(
		ttrpc_write(&frames, MUX_PLUGIN, TTRPC_REQUEST, 7, request.bytes, request.len), 0);
	begin(&story);
	buffer_clear(&story.session.out);
	for (size_t i = 0; i < frames.len; i++)
		assert_int_equal(hear(&story, frames.bytes + i, 1, &err), 0);
	assert_int_equal(answered(&arena, &story, &text), 12);
	buffer_free(&request);
	buffer_free(&frames);
}

/* What a request lacks is not that of the one before. */
static void a_request_stands_alone(void **state)
{
	struct buffer payload = container_named("first");
	struct buffer request = request_of(SERVICE, "CreateContainer");
	cleanup_arena arena = {0};
	cleanup_story story;
	const char *text;

	(void)state;
	begin(&story);
	call_method_of(&story, SERVICE, "CreateContainer", payload.bytes, payload.len);
	assert_string_equal(story.spec.identity.name, "first");
	assert_int_equal(story.lost, 0);
	say(&story, 7, &request);
	assert_int_equal(story.created, 2);
	assert_int_equal(story.lost, 1);
	put_text(&request, 1, SERVICE);
	put_bytes(&request, 3, payload.bytes, payload.len);
	say(&story, 7, &request);
	assert_int_equal(answered(&arena, &story, &text), 12);
	assert_int_equal(story.created, 2);
	buffer_free(&payload);
}

static void is_synchronized_once(void **state)
{
	cleanup_story story;

	(void)state;
	begin(&story);
	assert_int_equal(story.session.stage, SESSION_CONNECTED);
	call_method_of(&story, SERVICE, "Configure", "", 0);
	assert_int_equal(story.session.stage, SESSION_CONFIGURED);
	for (int i = 0; i < 2; i++) {
		call_method_of(&story, SERVICE, "Synchronize", "", 0);
		assert_int_equal(story.session.stage, SESSION_SYNCHRONIZED);
		assert_int_equal(story.synchronized, 1);
		call_method_of(&story, SERVICE, "Configure", "", 0);
		assert_int_equal(story.session.stage, SESSION_SYNCHRONIZED);
	}
}

/* Who it is is good to know, and not needed. */
static void a_runtime_need_not_say_who_it_is(void **state)
{
	cleanup_story story;

	(void)state;
	begin(&story);
	call_method_of(&story, SERVICE, "Configure", "", 0);
	assert_string_equal(story.runtime, "");
	assert_string_equal(story.version, "");
	call_method_of(&story, SERVICE, "Configure", "\x07", 1);
	assert_string_equal(story.runtime, "");
	assert_string_equal(story.version, "");
}

static void more_is_answered_with_more(void **state)
{
	cleanup_arena arena = {0};
	struct buffer payload = empty_buffer();
	cleanup_story story;

	(void)state;
	put_text(&payload, 1, "a pod");
	put_text(&payload, 2, "a container");
	put_number(&payload, 3, 1);
	begin(&story);
	call_method_of(&story, SERVICE, "Synchronize", payload.bytes, payload.len);
	/* Response{payload{more}} */
	assert_memory_equal(story.session.out.bytes + MUX_HEADER + TTRPC_HEADER, "\x12\x02\x10\x01",
			    4);
	assert_int_equal(story.synchronized, 0);
	call_method_of(&story, SERVICE, "Synchronize", payload.bytes, payload.len - 2);
	assert_int_equal(story.session.out.len, MUX_HEADER + TTRPC_HEADER);
	assert_int_equal(story.synchronized, 1);
	buffer_free(&payload);
}

/* A container that is there already, of a verbs device or another */
static void put_known(struct buffer *to, const char *id, uint64_t state, uint64_t major)
{
	struct buffer container = empty_buffer();
	struct buffer platform = empty_buffer();
	struct buffer device = empty_buffer();

	put_text(&device, 1, "/dev/x");
	put_text(&device, 2, "c");
	put_number(&device, 3, major);
	put_inside(&platform, 2, &device);
	put_text(&container, 1, id);
	put_number(&container, 4, state);
	put_inside(&container, 11, &platform);
	put_inside(to, 2, &container);
}

static void hears_what_is_there(void **state)
{
	struct buffer payload = empty_buffer();
	struct buffer request = request_of(SERVICE, "Synchronize");
	struct buffer frames = empty_buffer();
	cleanup_story story;
	struct err err;

	(void)state;
	put_text(&payload, 1, "\x0a\x01p");
	put_text(&payload, 1, "");
	put_known(&payload, "plain", 3, 1);
	put_known(&payload, "rdma", 3, 231);
	put_inside(&request, 3, &payload);
	assert_int_equal(
		ttrpc_write(&frames, MUX_PLUGIN, TTRPC_REQUEST, 7, request.bytes, request.len), 0);
	begin(&story);
	for (size_t i = 0; i < frames.len; i++)
		assert_int_equal(hear(&story, frames.bytes + i, 1, &err), 0);
	assert_int_equal(story.pods, 2);
	assert_int_equal(story.containers, 2);
	assert_int_equal(story.too_long, 0);
	assert_string_equal(story.last_id, "rdma");
	assert_true(story.last_has_device);
	assert_true(story.synchronized == 1 && story.whole);
	buffer_free(&request);
	buffer_free(&frames);
}

static const struct known_case {
	const char *name;
	uint64_t state;
	uint64_t major;
	bool kept;
} known_cases[] = {
	{"a verbs device, running", 3, 231, true},
	{"a verbs device, created", 1, 231, true},
	{"a verbs device, stopped", 4, 231, false},
	{"the 33rd verbs device and more", 3, 511, true},
	{"a GPU", 3, 195, false},
};

static void glance_tells(void **state)
{
	const struct known_case *row = *state;
	struct buffer payload = empty_buffer();
	cleanup_story story;

	put_known(&payload, "it", row->state, row->major);
	begin(&story);
	call_method_of(&story, SERVICE, "Synchronize", payload.bytes, payload.len);
	assert_int_equal(story.containers, 1);
	assert_int_equal(story.last_has_device, row->kept);
	buffer_free(&payload);
}

/* What comes again on the same connection has been heard. */
static void is_heard_once(void **state)
{
	struct buffer payload = empty_buffer();
	cleanup_story story;

	(void)state;
	put_known(&payload, "rdma", 3, 231);
	begin(&story);
	for (int i = 0; i < 2; i++)
		call_method_of(&story, SERVICE, "Synchronize", payload.bytes, payload.len);
	call_method_of(&story, SERVICE, "StateChange", payload.bytes, payload.len);
	assert_int_equal(story.containers, 1);
	buffer_free(&payload);
}

static void a_part_that_is_cut_is_said(void **state)
{
	cleanup_story story;

	(void)state;
	begin(&story);
	call_method_of(&story, SERVICE, "Synchronize", "\x12\x7f\x0a\x01x", 5);
	assert_int_equal(story.containers, 0);
	assert_true(story.synchronized == 1 && !story.whole);
}

static void what_is_too_long_is_said(void **state)
{
	static unsigned char env[CALL_OBJECT_MAX + 1];
	struct buffer payload = empty_buffer();
	cleanup_story story;

	(void)state;
	put_bytes(&payload, 2, env, sizeof(env));
	put_known(&payload, "next", 3, 231);
	begin(&story);
	call_method_of(&story, SERVICE, "Synchronize", payload.bytes, payload.len);
	assert_int_equal(story.containers, 2);
	assert_int_equal(story.too_long, 1);
	assert_string_equal(story.last_id, "next");
	buffer_free(&payload);
}

/* Of any size, as far as the header can say it; a container beyond ttrpc's own bound is lost. */
static void large_messages(void **state)
{
	cleanup_arena arena = {0};
	size_t len = 20 * 1024 * 1024;
	char *payload = calloc(1, len);
	cleanup_story story;
	const char *text;

	(void)state;
	assert_non_null(payload);
	memcpy(payload, "\x0a\xfb\xff\xff\x09", 5); /* a pod of all the rest */
	begin(&story);
	call_method_of(&story, SERVICE, "Synchronize", payload, len);
	assert_int_equal(answered(&arena, &story, &text), 0);
	assert_int_equal(story.synchronized, 1);
	assert_int_equal(story.session.call.payload.room, 0);
	call_method_of(&story, SERVICE, "CreateContainer", payload, len);
	assert_int_equal(answered(&arena, &story, &text), 0);
	assert_int_equal(story.lost, 1);
	assert_int_equal(story.session.call.payload.room, 0);
	free(payload);
}

/* ---- no NRI at all ---- */

static void ends_at_no_protocol(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} rows[] = {
		{"HTTP/1.1 400 Bad Request\r\n", 26},
		{"\0\0\0\1\xff\xff\xff\xff", 8},
		{"\0\0\0\1\0\x40\0\x0b", 8}, /* a frame of one byte too many */
		{"\0\0\0\1\0\0\0\x0a\x04\0\0\1\0\0\0\1\1\0", 18},
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		cleanup_story story;

		begin(&story);
		assert_int_equal(
			hear(&story, (const unsigned char *)rows[i].bytes, rows[i].len, &err), -1);
		assert_has(err.text, "not NRI's protocol");
	}
}

static void put_response(struct buffer *frames, uint32_t call, struct buffer *response)
{
	assert_int_equal(ttrpc_write(frames, MUX_RUNTIME, TTRPC_RESPONSE, call, response->bytes,
				     response->len),
			 0);
	buffer_free(response);
}

static struct buffer refusal(const char *why)
{
	struct buffer status = empty_buffer();
	struct buffer response = empty_buffer();

	put_number(&status, 1, 2);
	put_text(&status, 2, why);
	put_inside(&response, 1, &status);
	return response;
}

/* The answer to call 1 is that to our registration; what another is answered is not ours. */
static void refused_registration_ends(void **state)
{
	struct buffer other = refusal("another call");
	struct buffer response = refusal("invalid plugin\nindex");
	struct buffer unreadable = empty_buffer();
	struct buffer frames = empty_buffer();
	cleanup_story story;
	struct err err;

	(void)state;
	put(&unreadable, "\x0a\x7f", 2);
	assert_int_equal(ttrpc_write(&frames, MUX_RUNTIME, TTRPC_REQUEST, 1, unreadable.bytes,
				     unreadable.len),
			 0);
	put_response(&frames, 5, &unreadable);
	put_response(&frames, 3, &other);
	begin(&story);
	assert_int_equal(hear(&story, frames.bytes, frames.len, &err), 0);
	buffer_clear(&frames);
	put_response(&frames, 1, &response);
	assert_int_equal(hear(&story, frames.bytes, frames.len, &err), -1);
	assert_has(err.text, "the runtime refuses the plugin: invalid plugin?index (status 2)");
	assert_one_line(&err);
	buffer_free(&frames);
}

static void an_unreadable_registration_ends(void **state)
{
	static unsigned char large[SESSION_RESPONSE_MAX + 1];
	static const struct {
		const void *bytes;
		size_t len;
		const char *said;
	} rows[] = {{"\x0a\x7f", 2, ""}, {large, sizeof(large), "is longer than 65536 bytes"}};

	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct buffer response = empty_buffer();
		struct buffer frames = empty_buffer();
		cleanup_story story;
		struct err err;

		put(&response, rows[i].bytes, rows[i].len);
		put_response(&frames, 1, &response);
		begin(&story);
		assert_int_equal(hear(&story, frames.bytes, frames.len, &err), -1);
		assert_has(err.text, rows[i].said);
		assert_one_line(&err);
		buffer_free(&frames);
	}
}

static void other_streams_are_nothing(void **state)
{
	cleanup_story story;
	struct err err;

	(void)state;
	begin(&story);
	buffer_clear(&story.session.out);
	assert_int_equal(hear(&story,
			      (const unsigned char *)"\0\0\0\3\0\0\0\x0c\xff\xff\xff\xff\xff\xff"
						     "\xff\xff\xff\xff\xff\xff",
			      20, &err),
			 0);
	/* A response on our own stream, data of a stream: no answer */
	assert_int_equal(hear(&story,
			      (const unsigned char *)"\0\0\0\1\0\0\0\x0a\0\0\0\0\0\0\0\1\2\0"
						     "\0\0\0\1\0\0\0\x0b\0\0\0\1\0\0\0\1\3\0x",
			      18 + 19, &err),
			 0);
	assert_int_equal(story.session.out.len, 0);
}

int main(void)
{
	static struct unit_suite suite;

	UNIT_TABLE_AS(&suite, "as recorded: ", answers_as_recorded, session_cases);
	UNIT_TABLE_AS(&suite, "its container: ", reads_the_container, session_cases);
	UNIT_TABLE_AS(&suite, "cut anywhere: ", cut_anywhere, session_cases);
	UNIT_TABLE_AS(&suite, "byte by byte: ", byte_by_byte, session_cases);
	UNIT_TABLE_AS(&suite, "bits flipped: ", flipped, session_cases);
	unit_add(&suite, "a session with every event is heard", hears_every_event, NULL);
	unit_add(&suite, "sessions with many containers, with a validator", hears_others, NULL);
	UNIT_TABLE(&suite, method_is_answered, method_cases);
	UNIT_TABLE_AS(&suite, "garbage fails no container: ", garbage_is_no_error, payload_cases);
	unit_add(&suite, "fields may come in any order, the last one holds",
		 order_of_fields_is_free, NULL);
	unit_add(&suite, "what a request lacks is not that of the one before",
		 a_request_stands_alone, NULL);
	unit_add(&suite, "of two payloads the last holds", of_two_payloads_the_last_holds, NULL);
	unit_add(&suite, "of two payloads the last says whether there is more",
		 of_two_payloads_the_last_says_whether_there_is_more, NULL);
	unit_add(&suite, "a method with a name of 10,000 bytes, in pieces, is not implemented",
		 a_long_name_in_pieces_is_not_implemented, NULL);
	unit_add(&suite, "a request that is cut is lost, although its container is whole",
		 a_request_that_is_cut_is_lost, NULL);
	unit_add(&suite, "a runtime need not say who it is", a_runtime_need_not_say_who_it_is,
		 NULL);
	unit_add(&suite, "synchronized once, whatever is asked again", is_synchronized_once, NULL);
	unit_add(&suite, "Synchronize: more is answered with more", more_is_answered_with_more,
		 NULL);
	unit_add(&suite, "Synchronize: each pod and container is heard, byte by byte",
		 hears_what_is_there, NULL);
	UNIT_TABLE_AS(&suite, "Synchronize, a glance: ", glance_tells, known_cases);
	unit_add(&suite, "Synchronize: what is there is heard once", is_heard_once, NULL);
	unit_add(&suite, "Synchronize: a part that is cut is said", a_part_that_is_cut_is_said,
		 NULL);
	unit_add(&suite, "Synchronize: a container that is too long is said, the next is heard",
		 what_is_too_long_is_said, NULL);
	unit_add(&suite, "20 MiB: Synchronize keeps nothing, a container is lost", large_messages,
		 NULL);
	unit_add(&suite, "what is no NRI ends the connection", ends_at_no_protocol, NULL);
	unit_add(&suite, "a refused registration ends it, and says why", refused_registration_ends,
		 NULL);
	unit_add(&suite, "an answer to it that cannot be read ends it",
		 an_unreadable_registration_ends, NULL);
	unit_add(&suite, "other streams and types want no answer", other_streams_are_nothing, NULL);
	return unit_run(&suite, "nri_session");
}
