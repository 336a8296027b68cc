/* SPDX-License-Identifier: Apache-2.0 */
/* The state that a runtime writes to hooks */
#include "tests/unit/unit.h"

#include "hook/stage.h"

static int read_state(struct arena *arena, const char *text, size_t len, struct state *state,
		      struct err *err)
{
	FILE *file = tmpfile();
	char more;
	int status;

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	rewind(file);
	status = state_read(arena, fileno(file), state, err);
	/* Read all of it: the runtime's write must not fail because we exit. */
	assert_int_equal(read(fileno(file), &more, 1), 0);
	(void)fclose(file);
	return status;
}

#define ID "\"id\":\"0123\""
#define BUNDLE "\"bundle\":\"/b\""
#define SANDBOX "\"io.kubernetes.cri-o.ContainerType\":\"sandbox\""

static const struct good_case {
	const char *name;
	const char *text;
	int64_t pid;
	const char *status;
	bool sandbox;
} good_cases[] = {
	{"state: as crun and runc write it",
	 "{\"ociVersion\":\"1.0\"," ID ",\"pid\":4711,\"root\":\"/r\"," BUNDLE
	 ",\"created\":\"2026\",\"status\":\"creating\",\"owner\":\"\",\"annotations\":{\"a\":"
	 "\"b\"}}",
	 4711, "creating", false},
	{"state: the least", "{" ID "," BUNDLE "}", 0, NULL, false},
	{"state: annotations null", "{" ID "," BUNDLE ",\"annotations\":null}", 0, NULL, false},
	{"state: a sandbox", "{" ID "," BUNDLE ",\"annotations\":{" SANDBOX "}}", 0, NULL, true},
	{"state: containerd's sandbox",
	 "{" ID "," BUNDLE ",\"annotations\":{\"io.kubernetes.cri.container-type\":\"sandbox\"}}",
	 0, NULL, true},
	{"state: a sandbox by one engine's key, a container by the other's",
	 "{" ID "," BUNDLE ",\"annotations\":{" SANDBOX
	 ",\"io.kubernetes.cri.container-type\":\"container\"}}",
	 0, NULL, true},
	{"state: a container",
	 "{" ID "," BUNDLE
	 ",\"annotations\":{\"io.kubernetes.cri-o.ContainerType\":\"container\"}}",
	 0, NULL, false},
	{"state: pid 0, as crun's createContainer sends it", "{" ID "," BUNDLE ",\"pid\":0}", 0,
	 NULL, false},
	{"state: pid -1 is handed on, for a clear refusal", "{" ID "," BUNDLE ",\"pid\":-1}", -1,
	 NULL, false},
	{"state: a large pid is handed on", "{" ID "," BUNDLE ",\"pid\":9223372036854775807}",
	 INT64_MAX, NULL, false},
	{"state: a pid that is no integer is none", "{" ID "," BUNDLE ",\"pid\":\"4711\"}", 0, NULL,
	 false},
	{"state: a pid beyond 64 bits is none", "{" ID "," BUNDLE ",\"pid\":9223372036854775808}",
	 0, NULL, false},
	{"state: unknown members of any type",
	 "{" ID "," BUNDLE ",\"x\":[{}],\"y\":null,\"owner\":{\"id\":5}}", 0, NULL, false},
};

UNIT_ROWS(good_cases)
{
	WITH_ARENA;
	struct state got;

	assert_int_equal(read_state(&arena, row->text, strlen(row->text), &got, &err), 0);
	assert_string_equal(got.id, "0123");
	assert_string_equal(got.bundle, "/b");
	assert_true(got.pid == row->pid);
	assert_int_equal(got.sandbox, row->sandbox);
	if (row->status)
		assert_string_equal(got.status, row->status);
	else
		assert_null(got.status);
}

static const struct bad_case {
	const char *name;
	const char *text;
	const char *error;
} bad_cases[] = {
	{"wrong: nothing", "", "is empty"},
	{"wrong: no object", "[]", "line 1: expected an object"},
	{"wrong: no id", "{" BUNDLE "}", "the container id is missing or cannot be used"},
	{"wrong: an empty id", "{\"id\":\"\"," BUNDLE "}",
	 "the container id is missing or cannot be used"},
	{"wrong: a path as id", "{\"id\":\"../x\"," BUNDLE "}",
	 "the container id is missing or cannot be used"},
	{"wrong: a line break in the id", "{\"id\":\"a\\nb\"," BUNDLE "}",
	 "the container id is missing or cannot be used"},
	{"wrong: a NUL in the id", "{\"id\":\"a\\u0000\"," BUNDLE "}", "id: contains a NUL"},
	{"wrong: an id that is no string", "{\"id\":1," BUNDLE "}",
	 "line 1: id: expected a string"},
	{"wrong: the id twice", "{" ID "," ID "," BUNDLE "}", "line 1: id: occurs twice"},
	{"wrong: no bundle", "{" ID "}", "the bundle is missing"},
	{"wrong: bundle null", "{" ID ",\"bundle\":null}", "bundle: expected a string"},
	{"wrong: the bundle twice", "{" ID "," BUNDLE ",\n" BUNDLE "}",
	 "line 2: bundle: occurs twice"},
	{"wrong: the pid twice", "{" ID "," BUNDLE ",\"pid\":5,\"pid\":1}", "pid: occurs twice"},
	{"wrong: the container type twice",
	 "{" ID "," BUNDLE ",\"annotations\":{" SANDBOX "," SANDBOX "}}", "occurs twice"},
	{"wrong: annotations, a list", "{" ID "," BUNDLE ",\"annotations\":[]}",
	 "annotations: expected an object"},
	{"wrong: text behind it", "{" ID "," BUNDLE "}x", "line 1: "},
	{"wrong: cut off", "{" ID ",\"bundle\":\"/b", "the text ends"},
};

UNIT_ROWS(bad_cases)
{
	WITH_ARENA;
	struct state got = {.pid = 4711};

	assert_int_equal(read_state(&arena, row->text, strlen(row->text), &got, &err), -1);
	assert_has(err.text, row->error);
	assert_has(err.text, "state JSON on stdin: ");
	assert_one_line(&err);
	assert_int_equal(got.pid, 4711);
	assert_false(got.stderr_chosen);
}

UNIT_TEST("state: a stderr that an annotation chooses is known, also if the rest cannot be read")
{
	static const char key[] = "\"annotations\":{\"run.oci.hooks.stderr\":\"/x\"}";
	static const struct {
		const char *before;
		const char *behind;
		int status;
	} texts[] = {{"{" ID "," BUNDLE ",", "}", 0}, {"{", "}", -1}, {"{", "", -1}, {"", ID, -1}};
	struct err err;

	for (size_t i = 0; i < LENGTH(texts); i++) {
		cleanup_arena arena = {0};
		char *text = arena_printf(&arena, "%s%s%s", texts[i].before, key, texts[i].behind);
		struct state got = {0};

		assert_int_equal(read_state(&arena, text, strlen(text), &got, &err),
				 texts[i].status);
		assert_true(got.stderr_chosen);
	}
}

UNIT_TEST("state: 4 MiB are used, one byte more is an error; all is read")
{
	static const char text[] = "{" ID "," BUNDLE "}";

	for (size_t size = STATE_SIZE_MAX; size <= STATE_SIZE_MAX + 1; size++) {
		WITH_ARENA;
		char *padded = arena_alloc(&arena, size);
		struct state got;

		memset(padded, ' ', size);
		memcpy(padded, text, strlen(text));
		assert_int_equal(read_state(&arena, padded, size, &got, &err),
				 size > STATE_SIZE_MAX ? -1 : 0);
		assert_int_equal(got.stderr_chosen, size > STATE_SIZE_MAX);
		if (size > STATE_SIZE_MAX)
			assert_has(err.text, "state JSON on stdin: larger than 4194304 bytes");
	}
}

UNIT_TEST("state: what cannot be read is an error")
{
	WITH_ARENA;
	cleanup_fd dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct state got;

	assert_int_equal(state_read(&arena, -1, &got, &err), -1);
	assert_has(err.text, "state JSON on stdin: Bad file descriptor");
	assert_true(got.stderr_chosen);
	assert_int_equal(state_read(&arena, dir, &got, &err), -1);
	assert_has(err.text, "state JSON on stdin: ");
}

int main(void)
{
	return unit_main("state");
}
