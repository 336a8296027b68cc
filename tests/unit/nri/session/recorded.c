/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded runtimes (tests/nri/sessions): as they were, cut and garbled */
#include "story.h"

/* The file's bytes, in the arena */
static struct message file_bytes(struct arena *arena, const char *session, const char *direction)
{
	char path[128];
	struct stat st;
	unsigned char *bytes;
	int fd;

	snprintf(path, sizeof(path), "tests/nri/sessions/%s/%s.bin", session, direction);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	bytes = arena_alloc(arena, (size_t)st.st_size);
	assert_int_equal(read(fd, bytes, (size_t)st.st_size), st.st_size);
	(void)close(fd);
	return (struct message){bytes, (size_t)st.st_size};
}

/* Everything a recorded runtime sent, at once */
static void hear_recorded(struct story *story, const char *recorded)
{
	WITH_ARENA;
	struct message said = file_bytes(&arena, recorded, "r2p");

	begin(story);
	assert_int_equal(hear(story, said.bytes, said.len, &err), 0);
	assert_int_equal(story->lost, 0);
}

/* The registration's frame, with the plugin's own name */
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
	bool network;
} session_cases[] = {
	{"containerd-2.1.9", "containerd", "2.1.9", true},
	{"containerd-2.4.0-beta.0", "containerd", "2.4.0-beta", true},
	{"crio-1.37.0-dev", "cri-o", "1.37.0", false},
};

UNIT_ROWS_AS("as recorded: ", session_cases)
{
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

UNIT_ROWS_AS("its container: ", session_cases)
{
	cleanup_story story;
	const struct spec *spec = &story.spec;

	hear_recorded(&story, row->name);
	assert_string_equal(spec->identity.name, "trainer");
	assert_string_equal(spec->identity.pod, "h-kim-0");
	assert_string_equal(spec->identity.pod_namespace, "team-a");
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
	assert_false(spec->has_memlock);
	assert_int_equal(spec->network_namespace, row->network);
	assert_true(spec->n_mounts > 5);
}

/* Once at each place, and at all places */
UNIT_ROWS_AS("cut anywhere: ", session_cases)
{
	WITH_ARENA;
	struct message said = file_bytes(&arena, row->name, "r2p");
	struct message answered = file_bytes(&arena, row->name, "p2r");

	for (size_t cut = 1; cut < said.len; cut += cut < 600 ? 1 : 13) {
		WITH_STORY;

		assert_int_equal(hear(&story, said.bytes, cut, &err), 0);
		assert_int_equal(hear(&story, said.bytes + cut, said.len - cut, &err), 0);
		same_answers(&story, &answered);
	}
	{
		WITH_STORY;

		for (size_t i = 0; i < said.len; i++)
			assert_int_equal(hear(&story, said.bytes + i, 1, &err), 0);
		same_answers(&story, &answered);
	}
}

/* Each bit flipped: an answer or an error (the sanitizers watch). */
UNIT_ROWS_AS("bits flipped: ", session_cases)
{
	WITH_ARENA;
	struct message said = file_bytes(&arena, row->name, "r2p");
	unsigned char *bytes = (unsigned char *)said.bytes;

	for (size_t i = 0; i < said.len; i += i < 600 ? 1 : 11) {
		WITH_STORY;

		bytes[i] ^= (unsigned char)(1U << i % 8);
		if (hear(&story, bytes, said.len, &err) < 0)
			assert_one_line(&err);
		bytes[i] ^= (unsigned char)(1U << i % 8);
	}
}
