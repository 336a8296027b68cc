/* SPDX-License-Identifier: Apache-2.0 */
/* The record that tells a pod's author why its container was left without */
#include "tests/unit/unit.h"

#include "core/note/note.h"
#include "core/report/report.h"

#define ID "4f1c0e2d9b7a4c58a1d3e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b"
#define FILE_OF(result) REFUSAL_DIR "/" ID "." result ".json"

static const struct refusal denied = {
	.id = ID,
	.container = "trainer",
	.pod = "h-kim-0",
	.pod_namespace = "team-a",
	.pod_uid = "944c324a-7958-438a-b04f-699cedbf673d",
	.result = NOTE_DENIED,
	.reason = "namespace team-a is not among the namespaces",
	.entry_point = "nri",
};

struct scene {
	struct unit_dir dir;
	struct arena arena;
	struct refusal read;
	struct err err;
};

static struct scene scene_make(void)
{
	struct scene scene = {.dir = unit_dir_make()};

	assert_int_equal(mkdirat(scene.dir.fd, "run", 0755), 0);
	return scene;
}

static void scene_free(struct scene *scene)
{
	arena_free(&scene->arena);
	unit_dir_remove(&scene->dir);
}

#define cleanup_scene __attribute__((cleanup(scene_free))) struct scene

static int leave(struct scene *scene, const struct refusal *refusal)
{
	return refusal_leave(scene->dir.path, refusal, &scene->err);
}

static int read_record(struct scene *scene, const char *name)
{
	cleanup_fd dir = refusal_open(scene->dir.fd, &scene->err);

	return dir < 0 ? dir : refusal_read(&scene->arena, dir, name, &scene->read, &scene->err);
}

static bool exists(const struct scene *scene, const char *path)
{
	return faccessat(scene->dir.fd, path, F_OK, 0) == 0;
}

UNIT_TEST("a record is read as it was left")
{
	cleanup_scene scene = scene_make();
	int64_t now = time(NULL);

	assert_int_equal(leave(&scene, &denied), 0);
	assert_int_equal(read_record(&scene, ID ".denied.json"), 1);
	assert_string_equal(scene.read.id, ID);
	assert_string_equal(scene.read.container, "trainer");
	assert_string_equal(scene.read.pod, "h-kim-0");
	assert_string_equal(scene.read.pod_namespace, "team-a");
	assert_string_equal(scene.read.pod_uid, denied.pod_uid);
	assert_int_equal(scene.read.result, NOTE_DENIED);
	assert_string_equal(scene.read.reason, denied.reason);
	assert_string_equal(scene.read.entry_point, "nri");
	assert_true(scene.read.time >= now && scene.read.time <= time(NULL));
	assert_has(unit_read(&scene.arena, scene.dir.fd, FILE_OF("denied")), "\"schema\": 1,");
	assert_int_equal(unit_stat(scene.dir.fd, REFUSAL_DIR).st_mode & 07777, 0700);
	assert_int_equal(unit_stat(scene.dir.fd, FILE_OF("denied")).st_mode & 07777, 0600);
}

UNIT_TEST("each result of a container has a record")
{
	cleanup_scene scene = scene_make();
	struct refusal missed = denied;

	missed.result = NOTE_MISSED;
	assert_int_equal(leave(&scene, &denied), 0);
	assert_int_equal(leave(&scene, &missed), 0);
	assert_int_equal(read_record(&scene, ID ".denied.json"), 1);
	assert_int_equal(read_record(&scene, ID ".missed.json"), 1);
	assert_int_equal(scene.read.result, NOTE_MISSED);
}

UNIT_TEST("without a pod, a namespace or an id none is left")
{
	cleanup_scene scene = scene_make();
	struct refusal refusal = denied;

	refusal.pod = NULL;
	assert_int_equal(leave(&scene, &refusal), 0);
	refusal.pod = denied.pod;
	refusal.pod_namespace = NULL;
	assert_int_equal(leave(&scene, &refusal), 0);
	refusal.pod_namespace = denied.pod_namespace;
	refusal.id = "../a";
	assert_int_equal(leave(&scene, &refusal), 0);
	assert_false(exists(&scene, REFUSAL_DIR));
}

UNIT_TEST("a tree without /run gets none")
{
	cleanup_scene scene = scene_make();

	assert_int_equal(unlinkat(scene.dir.fd, "run", AT_REMOVEDIR), 0);
	assert_int_equal(leave(&scene, &denied), 0);
	assert_false(exists(&scene, "run"));
}

UNIT_TEST("a record that cannot be left is an error")
{
	cleanup_scene scene = scene_make();

	unit_write(scene.dir.fd, SHELF_PARENT, "no directory", 0644);
	assert_int_equal(leave(&scene, &denied), -1);
	assert_has(scene.err.text, "/" SHELF_PARENT);
	assert_one_line(&scene.err);
}

UNIT_TEST("a reason is one line of 1,024 bytes at most")
{
	static char long_reason[8 * REFUSAL_REASON_MAX];
	cleanup_scene scene = scene_make();
	struct refusal refusal = denied;

	memset(long_reason, '"', sizeof(long_reason) - 1);
	memcpy(long_reason, "a\nb\033[2J", 7);
	refusal.reason = long_reason;
	assert_int_equal(leave(&scene, &refusal), 0);
	assert_int_equal(read_record(&scene, ID ".denied.json"), 1);
	assert_int_equal(strlen(scene.read.reason), REFUSAL_REASON_MAX);
	assert_int_equal(strncmp(scene.read.reason, "a?b?[2J\"", 8), 0);
}

static const struct garbage_case {
	const char *name;
	const char *text;
	const char *reason;
} garbage_cases[] = {
	{"no JSON", "{", "refusals/x.json"},
	{"no reason", "{\"id\":\"a\",\"pod\":\"p\",\"namespace\":\"n\",\"result\":\"denied\"}",
	 "a record has an id"},
	{"no id", "{\"pod\":\"p\",\"namespace\":\"n\",\"reason\":\"r\",\"result\":\"denied\"}",
	 "a record has an id"},
	{"no pod", "{\"id\":\"a\",\"namespace\":\"n\",\"reason\":\"r\",\"result\":\"denied\"}",
	 "a record has an id"},
	{"no namespace", "{\"id\":\"a\",\"pod\":\"p\",\"reason\":\"r\",\"result\":\"denied\"}",
	 "a record has an id"},
	{"a result of no one", "{\"result\":\"won\"}", "'won' is not one of"},
	{"a pod of two lines that is no string", "{\"pod\":[\"a\"]}", "pod"},
};

UNIT_ROWS_AS("no record: ", garbage_cases)
{
	cleanup_scene scene = scene_make();

	assert_int_equal(leave(&scene, &denied), 0);
	unit_write(scene.dir.fd, REFUSAL_DIR "/x.json", row->text, 0600);
	assert_int_equal(read_record(&scene, "x.json"), -1);
	assert_has(scene.err.text, row->reason);
	assert_one_line(&scene.err);
}

/* The reporter lists the directory first: what went since then is no error. */
UNIT_TEST("a record that has gone is none")
{
	cleanup_scene scene = scene_make();

	assert_int_equal(leave(&scene, &denied), 0);
	assert_int_equal(read_record(&scene, "gone.json"), 0);
	assert_null(scene.read.id);
}

UNIT_TEST("there are never more than 1,024: the oldest goes")
{
	static const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	cleanup_scene scene = scene_make();
	char name[64];

	assert_int_equal(leave(&scene, &denied), 0);
	for (int i = 1; i < REFUSALS_MAX; i++) {
		(void)snprintf(name, sizeof(name), REFUSAL_DIR "/%d.json", i);
		unit_write(scene.dir.fd, name, "{}", 0600);
	}
	assert_int_equal(utimensat(scene.dir.fd, REFUSAL_DIR "/77.json", long_ago, 0), 0);
	assert_int_equal(unlinkat(scene.dir.fd, FILE_OF("denied"), 0), 0);
	unit_write(scene.dir.fd, REFUSAL_DIR "/other.json", "{}", 0600);
	assert_int_equal(leave(&scene, &denied), 0);
	assert_false(exists(&scene, REFUSAL_DIR "/77.json"));
	assert_true(exists(&scene, REFUSAL_DIR "/78.json"));
	assert_true(exists(&scene, FILE_OF("denied")));
}

/* ---- of a container ---- */

static const struct chosen_case {
	const char *name;
	struct request request;
	enum identity_doubt doubt;
	bool sandbox;
	enum note_result result;
	bool left;
} chosen_cases[] = {
	{"nothing: it asks", LIST(.inject = INJECT_ASKED), 0, false, NOTE_NOTHING, true},
	{"nothing: an annotation without inject", LIST(.inject = INJECT_UNSAID), 0, false,
	 NOTE_NOTHING, true},
	{"nothing: inject is false: its author knows", LIST(.inject = INJECT_REFUSED), 0, false,
	 NOTE_NOTHING, false},
	{"nothing: the annotation names other containers: its author knows",
	 LIST(.inject = INJECT_ASKED, .other_container = true), 0, false, NOTE_NOTHING, false},
	{"failed, whatever it asks", LIST(.inject = INJECT_REFUSED), 0, false, NOTE_FAILED, true},
	{"a sandbox", LIST(.inject = INJECT_ASKED), 0, true, NOTE_DENIED, false},
};

UNIT_ROWS_AS("for the author: ", chosen_cases)
{
	cleanup_scene scene = scene_make();
	struct container container = {
		.id = ID,
		.request = row->request,
		.spec.identity = {.pod = "p",
				  .pod_namespace = "n",
				  .doubt = row->doubt,
				  .sandbox = row->sandbox},
	};

	remember_refusal(scene.dir.path, &container, row->result, "why", "nri");
	assert_int_equal(exists(&scene, REFUSAL_DIR), row->left);
}

int main(void)
{
	return unit_main("refusal");
}
