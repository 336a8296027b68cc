/* SPDX-License-Identifier: Apache-2.0 */
/* What runtimes have said (tests/nri/sessions): as it was, cut and garbled */
#include "story.h"

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
	return unit_run(&suite, "recorded");
}
