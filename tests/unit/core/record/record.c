/* SPDX-License-Identifier: Apache-2.0 */
/* Round trip, replacement, and trust only in root's files */
#include "suite.h"

#include "core/base/clock.h"

UNIT_TEST("a record is read as it was written")
{
	cleanup_scene scene = scene_make();
	int64_t now = time(NULL);
	const struct record *read = &scene.read;

	assert_int_equal(write_record(&scene, &denied), 0);
	assert_int_equal(read_record(&scene, ID), 1);
	assert_string_equal(read->id, ID);
	assert_string_equal(read->container, "trainer");
	assert_string_equal(read->pod, "h-kim-0");
	assert_string_equal(read->pod_namespace, "team-a");
	assert_string_equal(read->pod_uid, UID);
	assert_string_equal(read->engine, "containerd /run/nri");
	assert_int_equal(read->result, RECORD_DENIED);
	assert_string_equal(read->reason, denied.reason);
	assert_string_equal(read->entry_point, "nri");
	assert_string_equal(read->policy, denied.policy);
	assert_string_equal(read->devices, "mlx5_1,mlx5_10");
	assert_true(read->memlock == UINT64_MAX && read->tell);
	assert_in_range(read->time, now, time(NULL));
	assert_int_equal(read->annotations.n, 2);
	assert_string_equal(read->annotations.item[1].name, "memlock");
	assert_string_equal(read->annotations.item[1].value, "16Gi");
	assert_int_equal(read->settings.n, 1);
	assert_string_equal(read->settings.item[0].value, "=mlx5_1,mlx5_10");
}

UNIT_TEST("what is not known is null, and a record without a reason is none")
{
	const struct record least = {.id = ID, .entry_point = "prestart"};
	cleanup_scene scene = scene_make();

	assert_int_equal(write_record(&scene, &least), 0);
	assert_has(unit_read(&scene.arena, scene.dir.fd, file_of(&scene)), "\"pod\": null,");
	assert_has(unit_read(&scene.arena, scene.dir.fd, file_of(&scene)), "\"schema\": 1,");
	assert_int_equal(read_record(&scene, ID), -1); /* no reason */
	assert_has(scene.err.text, "not a record: it lacks an id, a reason or an entry point");
}

UNIT_TEST("directory and file are root's alone; a listing says what decides what stays")
{
	cleanup_scene scene = scene_make();
	struct record_entry *entries;
	int64_t before = clock_ms();

	assert_int_equal(write_record(&scene, &denied), 0);
	assert_int_equal(unit_stat(scene.dir.fd, "run/oci-rdma-hook").st_mode & 07777, 0700);
	assert_int_equal(unit_stat(scene.dir.fd, RECORD_DIR).st_mode & 07777, 0700);
	assert_int_equal(unit_stat(scene.dir.fd, file_of(&scene)).st_mode & 07777, 0600);
	assert_int_equal(list_records(&scene, &entries), 1);
	assert_string_equal(entries[0].pod_namespace, "team-a");
	assert_string_equal(entries[0].pod_uid, UID);
	assert_string_equal(entries[0].container, "trainer");
	assert_string_equal(entries[0].id, ID);
	assert_int_equal(entries[0].result, RECORD_DENIED);
	assert_in_range(entries[0].clock, before, clock_ms());
}

/* ---- replaced ---- */

static const struct next_case {
	const char *name;
	const char *id, *namespace, *uid, *container;
	int n; /* records left */
} next_cases[] = {
	{"the same container", ID, "team-a", UID, "trainer", 1},
	{"the next of this name in the pod", "next", "team-a", UID, "trainer", 1},
	{"the same id, whatever else is known of it", ID, NULL, NULL, NULL, 1},
	{"another container of the pod", "next", "team-a", UID, "sidecar", 2},
	{"this name in another pod", "next", "team-a", "other", "trainer", 2},
	{"this name in another namespace", "next", "team-b", UID, "trainer", 2},
	{"this name without a pod's uid", "next", "team-a", NULL, "trainer", 2},
	{"no names at all", "next", NULL, NULL, NULL, 2},
	{"a namespace that no file's name can have", "next", "../a", UID, "trainer", 2},
	{"a namespace with a '_'", "next", "team-a_x", UID, "trainer", 2},
};

UNIT_ROWS_AS("the next record: ", next_cases)
{
	cleanup_scene scene = scene_make();
	struct record next = denied;
	struct record_entry *entries;

	next.id = row->id;
	next.pod_namespace = row->namespace;
	next.pod_uid = row->uid;
	next.container = row->container;
	next.result = RECORD_GRANTED;
	assert_int_equal(write_record(&scene, &denied), 0);
	assert_int_equal(write_record(&scene, &next), 0);
	assert_int_equal(list_records(&scene, &entries), row->n);
	assert_int_equal(read_record(&scene, row->id), 1);
	assert_int_equal(scene.read.result, RECORD_GRANTED);
	assert_int_equal(read_record(&scene, ID), row->n == 2 || strcmp(row->id, ID) == 0);
}

static const struct unknown_case {
	const char *name;
	const char *namespace, *uid, *container;
} unknown_cases[] = {
	{"nothing", NULL, NULL, NULL},
	{"no namespace", NULL, UID, "trainer"},
	{"no uid", "team-a", NULL, "trainer"},
	{"no container's name", "team-a", UID, NULL},
};

UNIT_ROWS_AS("two of which is known the same, and not all, stay both: ", unknown_cases)
{
	cleanup_scene scene = scene_make();
	struct record record = {.id = "a",
				.entry_point = "prestart",
				.reason = "x",
				.pod_namespace = row->namespace,
				.pod_uid = row->uid,
				.container = row->container};
	struct record_entry *entries;

	assert_int_equal(write_record(&scene, &record), 0);
	record.id = "b";
	assert_int_equal(write_record(&scene, &record), 0);
	assert_int_equal(list_records(&scene, &entries), 2);
}

UNIT_TEST("one record replaces that of its id and that of its name in the pod")
{
	const struct record unnamed = {.id = ID, .entry_point = "prestart", .reason = "x"};
	cleanup_scene scene = scene_make();
	struct record_entry *entries;
	struct record old = denied;

	old.id = "old";
	assert_int_equal(write_record(&scene, &unnamed), 0);
	assert_int_equal(write_record(&scene, &old), 0);
	assert_int_equal(list_records(&scene, &entries), 2);
	assert_int_equal(write_record(&scene, &denied), 0);
	assert_int_equal(list_records(&scene, &entries), 1);
}

UNIT_TEST("what is added to a grant leaves its record; an engine that is not known, the last one's")
{
	cleanup_scene scene = scene_make();
	struct record next = denied;

	next.result = RECORD_GRANTED;
	assert_int_equal(write_record(&scene, &next), 0);
	next.reason = "added";
	assert_int_equal(write_record(&scene, &next), 1);
	assert_int_equal(read_record(&scene, ID), 1);
	assert_string_equal(scene.read.reason, denied.reason);
	next.result = RECORD_FAILED;
	next.engine = NULL;
	assert_int_equal(write_record(&scene, &next), 0);
	assert_int_equal(read_record(&scene, ID), 1);
	assert_string_equal(scene.read.reason, "added");
	assert_string_equal(scene.read.engine, denied.engine);
	next.engine = "cri-o";
	assert_int_equal(write_record(&scene, &next), 0);
	assert_int_equal(read_record(&scene, ID), 1);
	assert_string_equal(scene.read.engine, "cri-o");
}

UNIT_TEST("who reads removes nothing")
{
	cleanup_scene scene = scene_make();
	struct record_entry *entries;

	assert_int_equal(write_record(&scene, &denied), 0);
	unit_write(scene.dir.fd, RECORD_DIR "/odd", "x", 0600);
	assert_int_equal(read_record(&scene, ID), 1);
	assert_int_equal(list_records(&scene, &entries), 1);
	assert_int_equal(faccessat(scene.dir.fd, RECORD_DIR "/odd", F_OK, 0), 0);
}

UNIT_TEST("while one is replaced both are there: the newer one is read, in whatever order")
{
	cleanup_scene scene = scene_make();

	unit_write(scene.dir.fd, RECORD_DIR "/team-a_u_c_granted_0000000002_x.json",
		   "{\"id\":\"x\",\"reason\":\"new\",\"entry_point\":\"nri\"}", 0600);
	unit_write(scene.dir.fd, RECORD_DIR "/team-a_u_c_denied_0000000001_x.json", "{", 0600);
	unit_write(scene.dir.fd, RECORD_DIR "/team-a_u_c_missed_0000000001_x.json", "{", 0600);
	assert_int_equal(fchmodat(scene.dir.fd, RECORD_DIR, 0700, 0), 0);
	assert_int_equal(read_record(&scene, "x"), 1);
	assert_string_equal(scene.read.reason, "new");
}

UNIT_TEST("a container is recorded many times in a millisecond: its record stays")
{
	cleanup_scene scene = scene_make();
	struct record_entry *entries;

	for (int i = 0; i < 500; i++) {
		assert_int_equal(write_record(&scene, &denied), 0);
		assert_int_equal(list_records(&scene, &entries), 1);
	}
	assert_int_equal(read_record(&scene, ID), 1);
}

/* ---- refused ---- */

static const struct id_case {
	const char *name;
	const char *id;
} id_cases[] = {
	{"a path", "../nri"},     {"a slash", "a/b"},
	{"nothing", ""},          {"a hidden file", ".nri"},
	{"a line break", "a\nb"}, {"200 bytes", ID ID ID "0123456789"},
	{"none", NULL},
};

UNIT_ROWS_AS("no container's id: ", id_cases)
{
	cleanup_scene scene = scene_make();
	struct record record = denied;

	record.id = row->id;
	assert_int_equal(write_record(&scene, &record), -EINVAL);
	assert_has(scene.err.text, "is not a container id");
	assert_one_line(&scene.err);
	if (row->id)
		assert_int_equal(read_record(&scene, row->id), 0);
}

UNIT_TEST("the longest names that an engine gives fit")
{
	cleanup_scene scene = scene_make();
	struct record record = denied;
	char label[64];

	memset(label, 'a', 63);
	label[63] = '\0';
	record.pod_namespace = label;
	record.container = label;
	assert_int_equal(write_record(&scene, &record), 0);
	assert_int_equal(read_record(&scene, ID), 1);
}

UNIT_TEST("what others could have written is not believed")
{
	static const mode_t modes[] = {0620, 0602};
	cleanup_scene scene = scene_make();
	const char *file;

	assert_int_equal(write_record(&scene, &denied), 0);
	file = file_of(&scene);
	for (size_t i = 0; i < LENGTH(modes); i++) {
		assert_int_equal(fchmodat(scene.dir.fd, file, modes[i], 0), 0);
		assert_int_equal(read_record(&scene, ID), -1);
		assert_has(scene.err.text, "is not trusted");
	}
	if (geteuid() == 0) {
		assert_int_equal(fchmodat(scene.dir.fd, file, 0600, 0), 0);
		assert_int_equal(fchownat(scene.dir.fd, file, 12345, 0, 0), 0);
		assert_int_equal(read_record(&scene, ID), -1);
		assert_has(scene.err.text, "is not trusted");
	}
	assert_int_equal(fchmodat(scene.dir.fd, RECORD_DIR, 0777, 0), 0);
	assert_int_equal(read_record(&scene, ID), -1);
	assert_int_equal(write_record(&scene, &denied), -1);
	assert_has(scene.err.text, "must belong to root alone");
	assert_one_line(&scene.err);
}

#define NAME_OF_X RECORD_DIR "/team-a_u_c_denied_0000000001_x.json"

UNIT_TEST("a link is not followed, and is replaced")
{
	cleanup_scene scene = scene_make();
	struct record record = denied;

	assert_int_equal(write_record(&scene, &denied), 0);
	unit_write(scene.dir.fd, "elsewhere", "{}", 0600);
	assert_int_equal(symlinkat("../../../elsewhere", scene.dir.fd, NAME_OF_X), 0);
	assert_int_equal(read_record(&scene, "x"), -1);
	assert_has(scene.err.text, strerror(ELOOP));
	record.id = "x";
	assert_int_equal(write_record(&scene, &record), 0);
	assert_int_equal(unit_stat(scene.dir.fd, "elsewhere").st_size, 2);
	assert_int_equal(read_record(&scene, "x"), 1);
}

static const struct garbage_case {
	const char *name;
	const char *text;
	const char *reason;
} garbage_cases[] = {
	{"no JSON", "{", NAME_OF_X},
	{"a comment", "{/* */}", "line 1"},
	{"no id", "{\"reason\":\"r\",\"entry_point\":\"nri\"}", "not a record: it lacks an id"},
	{"no reason", "{\"id\":\"x\",\"entry_point\":\"nri\"}", "not a record: it lacks an id"},
	{"no entry point", "{\"id\":\"x\",\"reason\":\"r\"}", "not a record: it lacks an id"},
	{"a result of no one", "{\"result\":\"won\"}", "'won' is not one of"},
	{"a pod that is no string", "{\"pod\":[\"a\"]}", "pod"},
	{"an id twice", "{\"id\":\"x\",\"id\":\"y\"}", "id"},
};

UNIT_ROWS_AS("no record: ", garbage_cases)
{
	cleanup_scene scene = scene_make();

	unit_write(scene.dir.fd, NAME_OF_X, row->text, 0600);
	assert_int_equal(fchmodat(scene.dir.fd, RECORD_DIR, 0700, 0), 0);
	assert_int_equal(read_record(&scene, "x"), -1);
	assert_has(scene.err.text, row->reason);
	assert_one_line(&scene.err);
}

UNIT_TEST("a node without /run gets none")
{
	cleanup_scene scene = scene_make();

	assert_int_equal(unlinkat(scene.dir.fd, "run", AT_REMOVEDIR), 0);
	assert_int_equal(write_record(&scene, &denied), -ENOENT);
	assert_has(scene.err.text, "/" RECORD_DIR);
	assert_int_equal(read_record(&scene, ID), 0);
	assert_int_equal(faccessat(scene.dir.fd, "run", F_OK, 0), -1);
}

UNIT_TEST("the plugin may have made the directory above it")
{
	cleanup_scene scene = scene_make();

	assert_int_equal(mkdirat(scene.dir.fd, "run/oci-rdma-hook", 0700), 0);
	assert_int_equal(write_record(&scene, &denied), 0);
	assert_int_equal(read_record(&scene, ID), 1);
}

UNIT_TEST("a directory that cannot be made is an error")
{
	cleanup_scene scene = scene_make();

	unit_write(scene.dir.fd, "run/oci-rdma-hook", "no directory", 0644);
	assert_int_equal(write_record(&scene, &denied), -1);
	assert_has(scene.err.text, "/" RECORD_DIR);
	assert_one_line(&scene.err);
}

/* ---- sizes ---- */

UNIT_TEST("a reason is one line of 1,024 bytes at most")
{
	static char reason[4 * RECORD_REASON_MAX];
	cleanup_scene scene = scene_make();
	struct record record = denied;

	memset(reason, '"', sizeof(reason) - 1);
	memcpy(reason, "a\nb\033[2J", 7);
	record.reason = reason;
	assert_int_equal(write_record(&scene, &record), 0);
	assert_int_equal(read_record(&scene, ID), 1);
	assert_int_equal(strlen(scene.read.reason), RECORD_REASON_MAX);
	assert_int_equal(strncmp(scene.read.reason, "a?b?[2J\"", 8), 0);
}

UNIT_TEST("a record that is too long leaves out variables and annotations")
{
	static char value[JSON_FIELDS_SIZE_MAX];
	struct json_pair pair = {"NCCL_X", value};
	cleanup_scene scene = scene_make();
	struct record record = denied;

	memset(value, 'x', sizeof(value) - 1);
	record.settings.item = &pair;
	assert_int_equal(write_record(&scene, &record), 0);
	assert_true(unit_stat(scene.dir.fd, file_of(&scene)).st_size < JSON_FIELDS_SIZE_MAX);
	assert_int_equal(read_record(&scene, ID), 1);
	assert_int_equal(scene.read.settings.n + scene.read.annotations.n, 0);
	assert_int_equal(scene.read.result, RECORD_DENIED);
	record.pod = value;
	assert_int_equal(write_record(&scene, &record), -1);
	assert_has(scene.err.text, "would be longer than 8192 bytes");
}

UNIT_TEST(
	"a record of 8,192 bytes is written and read; of one byte more the variables are left out")
{
	static char value[JSON_FIELDS_SIZE_MAX + 2]; /* plus a NUL */
	struct json_pair pair = {"NCCL_X", value};
	cleanup_scene scene = scene_make();
	struct record record = denied;
	off_t size;

	record.settings.item = &pair;
	assert_int_equal(write_record(&scene, &record), 0);
	size = unit_stat(scene.dir.fd, file_of(&scene)).st_size;
	for (size_t more = 0; more < 2; more++) {
		memset(value, 'x', JSON_FIELDS_SIZE_MAX - (size_t)size + more);
		assert_int_equal(write_record(&scene, &record), 0);
		assert_int_equal(read_record(&scene, ID), 1);
		assert_int_equal(scene.read.settings.n, 1 - more);
		if (!more)
			assert_int_equal(unit_stat(scene.dir.fd, file_of(&scene)).st_size,
					 JSON_FIELDS_SIZE_MAX);
	}
	memset(value, ' ', JSON_FIELDS_SIZE_MAX - 1);
	memcpy(value + JSON_FIELDS_SIZE_MAX - 1, "{}", 2);
	unit_write(scene.dir.fd, file_of(&scene), value, 0600);
	assert_int_equal(read_record(&scene, ID), -1);
	assert_has(scene.err.text, "larger than 8192 bytes");
}
