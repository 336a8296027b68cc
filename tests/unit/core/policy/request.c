/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "core/policy/policy.h"

#define ANNOTATIONS_MAX 4
#define MI (UINT64_C(1024) * 1024)

/* Alternating names and values */
struct annotations {
	const char *pair[2 * ANNOTATIONS_MAX];
};

static void make_spec(const struct annotations *from, struct spec_annotation *room,
		      const char *container, struct spec *ret_spec)
{
	/* The first one is in line 10. */
	struct spec spec = {.text = "\n\n\n\n\n\n\n\n\n\n\n\n\n",
			    .identity = {.name = container},
			    .annotations = room};

	for (size_t i = 0; i < ANNOTATIONS_MAX && from->pair[2 * i]; i++) {
		room[i] = (struct spec_annotation){
			.name = from->pair[2 * i], .value = from->pair[2 * i + 1], .offset = 9 + i};
		spec.n_annotations++;
	}
	*ret_spec = spec;
}

static const struct good_case {
	const char *name;
	struct annotations annotations;
	const char *container; /* NULL: unknown name */
	enum request_inject inject;
	bool other;
	uint64_t memlock;
	bool nccl;
} good_cases[] = {
	{"request: none", LIST({NULL}), "c", INJECT_UNSAID, false, MEMLOCK_UNLIMITED, true},
	{"request: inject true", LIST({"inject", "true"}), "c", INJECT_ASKED, false,
	 MEMLOCK_UNLIMITED, true},
	{"request: inject false", LIST({"inject", "false"}), "c", INJECT_REFUSED, false,
	 MEMLOCK_UNLIMITED, true},
	{"request: containers names this one", LIST({"inject", "true", "containers", "trainer"}),
	 "trainer", INJECT_ASKED, false, MEMLOCK_UNLIMITED, true},
	{"request: containers names this one first", LIST({"containers", "trainer,b"}), "trainer",
	 INJECT_UNSAID, false, MEMLOCK_UNLIMITED, true},
	{"request: containers names this one last", LIST({"containers", "a,b,trainer"}), "trainer",
	 INJECT_UNSAID, false, MEMLOCK_UNLIMITED, true},
	{"request: containers names others", LIST({"containers", "a,b"}), "trainer", INJECT_UNSAID,
	 true, MEMLOCK_UNLIMITED, true},
	{"request: containers names a longer one", LIST({"containers", "trainer-2"}), "trainer",
	 INJECT_UNSAID, true, MEMLOCK_UNLIMITED, true},
	{"request: containers names a shorter one", LIST({"containers", "train"}), "trainer",
	 INJECT_UNSAID, true, MEMLOCK_UNLIMITED, true},
	{"request: containers names one of the same length", LIST({"containers", "trainee"}),
	 "trainer", INJECT_UNSAID, true, MEMLOCK_UNLIMITED, true},
	{"request: containers, and this one's name is not known", LIST({"containers", "a"}), NULL,
	 INJECT_UNSAID, true, MEMLOCK_UNLIMITED, true},
	{"request: memlock", LIST({"memlock", "16Mi"}), "c", INJECT_UNSAID, false, 16 * MI, true},
	{"request: memlock unlimited", LIST({"memlock", "unlimited"}), "c", INJECT_UNSAID, false,
	 MEMLOCK_UNLIMITED, true},
	{"request: nccl false", LIST({"nccl", "false"}), "c", INJECT_UNSAID, false,
	 MEMLOCK_UNLIMITED, false},
	{"request: nccl true", LIST({"nccl", "true"}), "c", INJECT_UNSAID, false, MEMLOCK_UNLIMITED,
	 true},
	{"request: all four",
	 LIST({"nccl", "false", "memlock", "1Mi", "containers", "c", "inject", "true"}), "c",
	 INJECT_ASKED, false, MI, false},
};

UNIT_ROWS(good_cases)
{
	struct spec_annotation room[ANNOTATIONS_MAX];
	struct request request;
	struct spec spec;
	struct err err = {0};

	make_spec(&row->annotations, room, row->container, &spec);
	assert_int_equal(request_read(&spec, "config.json", &request, &err), 0);
	assert_int_equal(request.inject, row->inject);
	assert_int_equal(request.excludes_this_container, row->other);
	assert_true(request.memlock == row->memlock);
	assert_int_equal(request.nccl, row->nccl);
	assert_int_equal(request_is_made(&spec),
			 spec.n_annotations && row->inject != INJECT_REFUSED);
}

static const struct hook_case {
	const char *name;
	struct annotations annotations;
	enum request_inject inject;
	bool by_hook;
	bool made;
} hook_cases[] = {
	{"a hook asks: no annotation", LIST({NULL}), INJECT_ASKED, true, true},
	{"a hook asks: so does inject", LIST({"inject", "true"}), INJECT_ASKED, false, true},
	{"a hook asks: inject refuses", LIST({"inject", "false"}), INJECT_REFUSED, false, false},
	{"a hook asks: annotations reduce", LIST({"memlock", "1Mi", "nccl", "false"}), INJECT_ASKED,
	 true, true},
};

UNIT_ROWS(hook_cases)
{
	struct spec_annotation room[ANNOTATIONS_MAX];
	bool reduced = row->annotations.pair[0] && strcmp(row->annotations.pair[0], "memlock") == 0;
	struct request request;
	struct spec spec;
	struct err err = {0};

	make_spec(&row->annotations, room, "c", &spec);
	spec.asked = true;
	assert_int_equal(request_read(&spec, "config.json", &request, &err), 0);
	assert_int_equal(request.inject, row->inject);
	assert_int_equal(request.by_hook, row->by_hook);
	assert_true(request.memlock == (reduced ? MI : MEMLOCK_UNLIMITED));
	assert_int_equal(request.nccl, !reduced);
	assert_int_equal(request_is_made(&spec), row->made);
}

#define FRONT(line, name) "config.json: line " line ": annotation oci-rdma-hook.io/" name ": "

static const struct bad_case {
	const char *name;
	struct annotations annotations;
	const char *error;
} bad_cases[] = {
	{"wrong: an unknown annotation, its line", LIST({"inject", "true", "memlok", "1Gi"}),
	 FRONT("11", "memlok") "unknown; known: inject, containers, memlock, nccl"},
	{"wrong: an annotation without a name", LIST({"", "x"}), FRONT("10", "") "unknown"},
	{"wrong: another case", LIST({"Inject", "true"}), FRONT("10", "Inject") "unknown"},
	{"wrong: inject True", LIST({"inject", "True"}),
	 FRONT("10", "inject") "expected \"true\" or \"false\", found \"True\""},
	{"wrong: inject, nothing", LIST({"inject", ""}), FRONT("10", "inject") "expected"},
	{"wrong: inject, a space behind", LIST({"inject", "true "}),
	 FRONT("10", "inject") "expected"},
	{"wrong: nccl off", LIST({"nccl", "off"}), FRONT("10", "nccl") "expected"},
	{"wrong: containers, nothing", LIST({"containers", ""}),
	 FRONT("10", "containers") "\"\" is not a list of container names: write \"a,b\""},
	{"wrong: containers, a space", LIST({"containers", "a, b"}),
	 FRONT("10", "containers") "\"a, b\""},
	{"wrong: containers, a comma behind", LIST({"containers", "a,"}),
	 FRONT("10", "containers")},
	{"wrong: containers, upper case", LIST({"containers", "C"}), FRONT("10", "containers")},
	{"wrong: containers, a line break", LIST({"containers", "c\nd"}),
	 FRONT("10", "containers")},
	{"wrong: memlock 0", LIST({"memlock", "0"}), FRONT("10", "memlock") "0 "},
	{"wrong: memlock, nothing", LIST({"memlock", ""}),
	 FRONT("10", "memlock") "'' is not an amount"},
	{"wrong: the first wrong one is named", LIST({"nccl", "x", "memlock", "x"}),
	 FRONT("10", "nccl")},
	{"wrong: one behind a refusal", LIST({"inject", "false", "nccl", "x"}),
	 FRONT("11", "nccl")},
};

UNIT_ROWS(bad_cases)
{
	struct spec_annotation room[ANNOTATIONS_MAX];
	struct request request = {.memlock = 4711};
	struct spec spec;
	struct err err = {0};

	make_spec(&row->annotations, room, "c", &spec);
	assert_int_equal(request_read(&spec, "config.json", &request, &err), -1);
	assert_has(err.text, row->error);
	assert_one_line(&err);
	assert_true(request.memlock == 4711);
}

UNIT_TEST("wrong: an annotation that is not from a text has no line")
{
	struct spec_annotation annotation = {.name = "x", .value = ""};
	struct spec spec = {.annotations = &annotation, .n_annotations = 1};
	struct request request;
	struct err err = {0};

	assert_int_equal(request_read(&spec, "config.json", &request, &err), -1);
	assert_has(err.text, "config.json: annotation oci-rdma-hook.io/x: unknown");
}

/* The author's text must neither reach a terminal raw nor fill it. */
UNIT_TEST("wrong: the author's text is bounded and printable")
{
	struct annotations annotations = {{"x\n\x1b[2J", "y"}};
	struct spec_annotation room[ANNOTATIONS_MAX];
	struct request request;
	struct spec spec;
	struct err err = {0};
	char large[5000];

	make_spec(&annotations, room, "c", &spec);
	assert_int_equal(request_read(&spec, "config.json", &request, &err), -1);
	assert_one_line(&err);
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	annotations = (struct annotations){{large, "y"}};
	make_spec(&annotations, room, "c", &spec);
	assert_int_equal(request_read(&spec, "config.json", &request, &err), -1);
	assert_has(err.text, "unknown; known: inject");
	annotations = (struct annotations){{"containers", large, "nccl", "true"}};
	large[10] = '*';
	make_spec(&annotations, room, "c", &spec);
	assert_int_equal(request_read(&spec, "config.json", &request, &err), -1);
	assert_has(err.text, "is not a list of container names: write \"a,b\"");
}

/* Not an error here: a misspelt annotation was meant to ask. */
UNIT_TEST("request: each annotation of ours asks, except inject=false")
{
	static const struct annotations asks[] = {
		{{"inject", "true"}}, {{"bad", "x"}},   {{"inject", "True"}},
		{{"memlock", "1Gi"}}, {{"inject", ""}}, {{"inject", "False"}},
	};
	static const struct annotations refuses = {{"inject", "false", "nccl", "true"}};
	struct spec_annotation room[ANNOTATIONS_MAX];
	struct spec spec;

	for (size_t i = 0; i < LENGTH(asks); i++) {
		make_spec(&asks[i], room, NULL, &spec);
		assert_true(request_is_made(&spec));
	}
	make_spec(&refuses, room, NULL, &spec);
	assert_false(request_is_made(&spec));
	assert_false(request_is_made(&(struct spec){0}));
}

int main(void)
{
	return unit_main("request");
}
