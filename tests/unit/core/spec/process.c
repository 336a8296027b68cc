/* SPDX-License-Identifier: Apache-2.0 */
/* Capabilities and environment; also of exec's process.json */
#include "suite.h"

static const struct capability_case {
	const char *name;
	const char *sets;
	uint64_t want[SPEC_CAPABILITY_SETS]; /* bounding, effective, permitted, inheritable, ambient
					      */
} capability_cases[] = {
	{"capabilities: none", "{}", {0}},
	{"capabilities: null", "null", {0}},
	{"capabilities: null sets", "{\"bounding\":null,\"ambient\":null}", {0}},
	{"capabilities: each set is its own",
	 "{\"bounding\":[\"CAP_CHOWN\"],\"effective\":[\"CAP_IPC_LOCK\"],"
	 "\"permitted\":[\"CAP_CHOWN\",\"CAP_IPC_LOCK\"],\"inheritable\":[],"
	 "\"ambient\":[\"CAP_IPC_LOCK\"]}",
	 {CHOWN, IPC_LOCK, CHOWN | IPC_LOCK, 0, IPC_LOCK}},
	{"capabilities: inheritable", "{\"inheritable\":[\"CAP_CHOWN\"]}", {0, 0, 0, CHOWN, 0}},
	{"capabilities: one that is not known is skipped",
	 "{\"bounding\":[\"CAP_TOMORROW\",\"CAP_CHOWN\"]}",
	 {CHOWN}},
	{"capabilities: lower case is none", "{\"bounding\":[\"cap_chown\"]}", {0}},
	{"capabilities: a name with more behind it is none",
	 "{\"bounding\":[\"CAP_CHOWN \"]}",
	 {0}},
	{"capabilities: twice is once",
	 "{\"ambient\":[\"CAP_CHOWN\",\"CAP_CHOWN\"]}",
	 {0, 0, 0, 0, CHOWN}},
	{"capabilities: the last number",
	 "{\"ambient\":[\"CAP_CHECKPOINT_RESTORE\"]}",
	 {0, 0, 0, 0, UINT64_C(1) << 40}},
};

UNIT_ROWS(capability_cases)
{
	cleanup_arena arena = {0};
	struct spec spec;

	must_parse(&arena, arena_printf(&arena, "{\"process\":{\"capabilities\":%s}}", row->sets),
		   &spec);
	for (int set = 0; set < SPEC_CAPABILITY_SETS; set++)
		assert_true(spec.capabilities[set] == row->want[set]);
}

UNIT_TEST("env: in its order, the first entry of a name holds")
{
	cleanup_arena arena = {0};
	struct spec spec;

	must_parse(&arena,
		   "{\"process\":{\"env\":[\"B=1\",\"A=\",\"B=2\",\"NOVALUE\",\"A=3\",\"C=x=y\","
		   "\"\",\"=z\"]}}",
		   &spec);
	assert_int_equal(spec.n_env, 8);
	assert_string_equal(spec.env[0], "B=1");
	assert_string_equal(spec.env[6], "");
	/* The first one wins, as in getenv(3). */
	assert_string_equal(spec_getenv(&spec, "B"), "1");
	assert_string_equal(spec_getenv(&spec, "A"), "");
	assert_string_equal(spec_getenv(&spec, "C"), "x=y");
	assert_null(spec_getenv(&spec, "NOVALUE"));
	assert_null(spec_getenv(&spec, "NO"));
	assert_null(spec_getenv(&spec, "CC"));
	assert_null(spec_getenv(&(struct spec){0}, "A"));
}

/* exec --process has only config.json's process object. */
UNIT_TEST("whole: a process alone, as exec gives it")
{
	static const char text[] = "{\"args\":[\"sh\"],\"env\":[\"A=1\"],\"rlimits\":[" MEMLOCK(
		"1", "2") "],\"capabilities\":{\"ambient\":[\"CAP_CHOWN\"]}}";
	WITH_ARENA;
	struct spec spec;

	assert_int_equal(
		spec_parse_process(&arena, "process.json", text, strlen(text), &spec, &err), 0);
	assert_string_equal(spec_getenv(&spec, "A"), "1");
	assert_true(spec.has_memlock);
	assert_int_equal(spec.memlock_hard, 2);
	assert_true(spec.capabilities[SPEC_AMBIENT] == CHOWN);
	assert_int_equal(spec_parse_process(&arena, "config.json",
					    "{\"env\":1,\"process\":{\"env\":[\"B=2\"]}}", 35,
					    &spec, &err),
			 0);
	assert_string_equal(spec_getenv(&spec, "B"), "2");
	assert_int_equal(
		spec_parse_process(&arena, "process.json", "{\"env\":[1]}", 11, &spec, &err), -1);
	assert_string_equal(err.text,
			    "process.json: line 1: env[0]: expected a string, found a number");
}

UNIT_TEST("process.json: only an object is read, and where it stands")
{
	WITH_ARENA;
	struct spec spec;

	assert_int_equal(spec_parse_process(&arena, "process.json", " {}", 3, &spec, &err), 0);
	assert_int_equal(spec.process->begin, 1);
	assert_int_equal(spec_parse_process(&arena, "process.json", "null", 4, &spec, &err), -1);
	assert_int_equal(spec_parse_process(&arena, "process.json", "[]", 2, &spec, &err), -1);
}
