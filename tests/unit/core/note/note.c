/* SPDX-License-Identifier: Apache-2.0 */
/* The notes of what was decided: written whole, bounded, believed only if root wrote them */
#include "core/note/note.h"

#include "tests/unit/unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

struct scene {
	struct unit_dir dir;
	struct arena arena;
	struct note read;
	struct err err;
};

static struct scene scene_make(void)
{
	struct scene scene = {.dir = unit_dir_make()};

	assert_int_equal(mkdirat(scene.dir.fd, "run", 0755), 0);
	return scene;
}

static void scene_remove(struct scene *scene)
{
	arena_free(&scene->arena);
	unit_dir_remove(&scene->dir);
}

#define cleanup_scene __attribute__((cleanup(scene_remove))) struct scene

static struct note_pair annotations[] = {{"inject", "true"}, {"memlock", "16Gi"}};
static struct note_pair settings[] = {{"NCCL_IB_HCA", "=mlx5_1,mlx5_10"}};

static const struct note granted = {
	.id = ID,
	.name = "trainer",
	.pod = "h-kim-0",
	.pod_namespace = "team-a",
	.result = NOTE_GRANTED,
	.reason = "2 RDMA devices allocated",
	.entry_point = "nri",
	.policy = "/etc/oci-rdma-hook/config.json",
	.memlock = UINT64_MAX,
	.annotations = annotations,
	.n_annotations = LENGTH(annotations),
	.settings = settings,
	.n_settings = LENGTH(settings),
};

static int write_note(struct scene *scene, const struct note *note)
{
	return note_write(scene->dir.path, note, &scene->err);
}

static int read_note(struct scene *scene, const char *id)
{
	return note_read(&scene->arena, scene->dir.fd, id, &scene->read, &scene->err);
}

UNIT_TEST("a note is read as it was written")
{
	cleanup_scene scene = scene_make();

	assert_int_equal(write_note(&scene, &granted), 0);
	assert_int_equal(read_note(&scene, ID), 1);
	assert_string_equal(scene.read.id, ID);
	assert_string_equal(scene.read.name, "trainer");
	assert_string_equal(scene.read.pod, "h-kim-0");
	assert_string_equal(scene.read.pod_namespace, "team-a");
	assert_int_equal(scene.read.result, NOTE_GRANTED);
	assert_string_equal(scene.read.reason, granted.reason);
	assert_string_equal(scene.read.policy, granted.policy);
	assert_true(scene.read.memlock == UINT64_MAX);
	assert_int_equal(scene.read.n_annotations, 2);
	assert_string_equal(scene.read.annotations[1].name, "memlock");
	assert_string_equal(scene.read.annotations[1].value, "16Gi");
	assert_string_equal(scene.read.settings[0].value, "=mlx5_1,mlx5_10");
	assert_int_equal(strlen(scene.read.time), strlen("2026-11-21T20:22:43Z"));
}

UNIT_TEST("of two for a container the last holds")
{
	cleanup_scene scene = scene_make();
	struct note missed = granted;

	missed.result = NOTE_MISSED;
	missed.n_settings = 0;
	assert_int_equal(write_note(&scene, &granted), 0);
	assert_int_equal(write_note(&scene, &missed), 0);
	assert_int_equal(read_note(&scene, ID), 1);
	assert_int_equal(scene.read.result, NOTE_MISSED);
	assert_int_equal(scene.read.n_settings, 0);
}

UNIT_TEST("directory and file are for root alone")
{
	cleanup_scene scene = scene_make();

	assert_int_equal(write_note(&scene, &granted), 0);
	assert_int_equal(unit_stat(scene.dir.fd, NOTE_DIR).st_mode & 07777, 0700);
	assert_int_equal(unit_stat(scene.dir.fd, NOTE_DIR "/" ID ".json").st_mode & 07777, 0600);
}

static const struct id_case {
	const char *name;
	const char *id;
} id_cases[] = {
	{"a path", "../nri"},      {"a slash", "a/b"},       {"nothing", ""},
	{"a hidden file", ".nri"}, {"a line break", "a\nb"}, {"200 bytes", ID ID ID "0123456789"},
};

UNIT_ROWS_AS("no container's id: ", id_cases)
{
	cleanup_scene scene = scene_make();
	struct note note = granted;

	note.id = row->id;
	assert_int_equal(write_note(&scene, &note), -1);
	assert_has(scene.err.text, "is not a container id");
	assert_one_line(&scene.err);
	assert_int_equal(read_note(&scene, row->id), 0);
	note_remove(scene.dir.path, row->id);
}

UNIT_TEST("what others could have written is not believed")
{
	cleanup_scene scene = scene_make();

	assert_int_equal(write_note(&scene, &granted), 0);
	assert_int_equal(fchmodat(scene.dir.fd, NOTE_DIR "/" ID ".json", 0622, 0), 0);
	assert_int_equal(read_note(&scene, ID), -1);
	assert_has(scene.err.text, "is not believed");
	if (geteuid() == 0) {
		assert_int_equal(fchmodat(scene.dir.fd, NOTE_DIR "/" ID ".json", 0600, 0), 0);
		assert_int_equal(fchownat(scene.dir.fd, NOTE_DIR "/" ID ".json", 12345, 0, 0), 0);
		assert_int_equal(read_note(&scene, ID), -1);
		assert_has(scene.err.text, "is not believed");
	}
	assert_int_equal(fchmodat(scene.dir.fd, NOTE_DIR, 0777, 0), 0);
	assert_int_equal(read_note(&scene, ID), -1);
	assert_int_equal(write_note(&scene, &granted), -1);
	assert_has(scene.err.text, "must belong to root alone");
	assert_one_line(&scene.err);
}

UNIT_TEST("a link is not followed")
{
	cleanup_scene scene = scene_make();
	struct note note = granted;

	assert_int_equal(write_note(&scene, &granted), 0);
	unit_write(scene.dir.fd, "elsewhere", "{}", 0600);
	assert_int_equal(symlinkat("../../../elsewhere", scene.dir.fd, NOTE_DIR "/abc.json"), 0);
	assert_int_equal(read_note(&scene, "abc"), -1);
	note.id = "abc";
	assert_int_equal(write_note(&scene, &note), 0);
	assert_int_equal(unit_stat(scene.dir.fd, "elsewhere").st_size, 2);
	assert_int_equal(read_note(&scene, "abc"), 1);
}

UNIT_TEST("what is no note is an error")
{
	cleanup_scene scene = scene_make();

	assert_int_equal(write_note(&scene, &granted), 0);
	unit_write(scene.dir.fd, NOTE_DIR "/abc.json", "{\"result\": \"won\"}", 0600);
	assert_int_equal(read_note(&scene, "abc"), -1);
	assert_has(scene.err.text, "/" NOTE_DIR "/abc.json");
	assert_one_line(&scene.err);
}

UNIT_TEST("a note that is too long leaves out variables and annotations")
{
	cleanup_scene scene = scene_make();
	struct note note = granted;
	static char value[NOTE_SIZE_MAX];
	struct note_pair pair = {"NCCL_X", value};

	memset(value, 'x', sizeof(value) - 1);
	note.settings = &pair;
	assert_int_equal(write_note(&scene, &note), 0);
	assert_true(unit_stat(scene.dir.fd, NOTE_DIR "/" ID ".json").st_size < NOTE_SIZE_MAX);
	assert_int_equal(read_note(&scene, ID), 1);
	assert_int_equal(scene.read.n_settings, 0);
	assert_int_equal(scene.read.result, NOTE_GRANTED);
}

UNIT_TEST("notes are listed and removed")
{
	cleanup_scene scene = scene_make();
	struct note note = granted;
	const char **ids;

	assert_int_equal(note_list(&scene.arena, scene.dir.path, &ids), 0);
	assert_int_equal(write_note(&scene, &granted), 0);
	note.id = "abc";
	assert_int_equal(write_note(&scene, &note), 0);
	assert_int_equal(note_list(&scene.arena, scene.dir.path, &ids), 2);
	assert_string_equal(ids[0], ID);
	assert_string_equal(ids[1], "abc");
	note_remove(scene.dir.path, ID);
	note_remove(scene.dir.path, ID);
	assert_int_equal(read_note(&scene, ID), 0);
	assert_int_equal(read_note(&scene, "abc"), 1);
}

static const struct age_case {
	const char *name;
	time_t age; /* seconds; its clock may be set back, so that it is of the future */
	bool is_new;
} age_cases[] = {
	{"now", 0, true},
	{"just before", NOTE_NEW_S - 60, true},
	{"long enough ago", NOTE_NEW_S, false},
	{"in the future", -3600, false},
};

UNIT_ROWS_AS("whether it is new: written ", age_cases)
{
	cleanup_scene scene = scene_make();
	const struct timespec then = {.tv_sec = time(NULL) - row->age};
	const struct timespec times[2] = {then, then};

	assert_false(note_is_new(scene.dir.path, ID));
	assert_int_equal(write_note(&scene, &granted), 0);
	assert_int_equal(utimensat(scene.dir.fd, NOTE_DIR "/" ID ".json", times, 0), 0);
	assert_int_equal(note_is_new(scene.dir.path, ID), row->is_new);
	assert_false(note_is_new(scene.dir.path, "../" ID));
	assert_false(note_is_new("/nonexistent", ID));
}

/* The oldest goes, whatever its name. */
UNIT_TEST("there are never more than 4,096: the oldest goes")
{
	static const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	cleanup_scene scene = scene_make();
	struct note note = granted;
	const char **ids;
	char name[64];

	assert_int_equal(write_note(&scene, &granted), 0);
	for (int i = 1; i < NOTES_MAX; i++) {
		(void)snprintf(name, sizeof(name), NOTE_DIR "/%d.json", i);
		unit_write(scene.dir.fd, name, "{}", 0600);
	}
	assert_int_equal(utimensat(scene.dir.fd, NOTE_DIR "/77.json", long_ago, 0), 0);
	note.id = "new";
	assert_int_equal(write_note(&scene, &note), 0);
	assert_int_equal(note_list(&scene.arena, scene.dir.path, &ids), NOTES_MAX);
	assert_int_equal(read_note(&scene, "77"), 0);
	assert_int_equal(read_note(&scene, ID), 1);
	assert_int_equal(read_note(&scene, "new"), 1);
}

int main(void)
{
	return unit_main("note");
}
