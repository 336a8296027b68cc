/* SPDX-License-Identifier: Apache-2.0 */
#include "suite.h"

/* Built in memory: the texts are large. */
struct builder {
	char *bytes;
	size_t len;
	FILE *out;
};

static struct builder builder_open(void)
{
	return (struct builder){0};
}

static void builder_close(struct builder *b)
{
	free(b->bytes);
}

#define cleanup_builder __attribute__((cleanup(builder_close))) struct builder

static void repeat(FILE *out, const char *text_part, size_t times)
{
	for (size_t i = 0; i < times; i++)
		fputs(text_part, out);
}

static int read_built(struct builder *b, struct err *err)
{
	cleanup_arena arena = {0};
	struct fields fields = {0};

	assert_int_equal(fclose(b->out), 0);
	return read_json(&arena, b->bytes, b->len, 0, &fields, err);
}

static const struct depth_case {
	const char *name;
	const char *front; /* opens as many levels as outer */
	size_t outer;
	const char *open;
	const char *value;
	const char *close;
	const char *back;
} depth_cases[] = {
	{"depth: arrays that nobody wants", "{\"x\":", 1, "[", "1", "]", "}"},
	{"depth: objects that nobody wants", "{\"x\":", 1, "{\"n\":", "1", "}", "}"},
	{"depth: beside what is wanted", "{\"items\":[{\"q\":", 3, "[", "", "]", "}]}"},
	{"depth: the root itself", "", 0, "{\"x\":", "1", "}", ""},
};

UNIT_ROWS(depth_cases)
{
	for (size_t depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 1; depth++) {
		cleanup_builder b = builder_open();
		struct err err = {0};
		bool fits = depth <= JSON_DEPTH_MAX;

		b.out = open_memstream(&b.bytes, &b.len);
		assert_non_null(b.out);
		fputs(row->front, b.out);
		repeat(b.out, row->open, depth - row->outer);
		fputs(row->value, b.out);
		repeat(b.out, row->close, depth - row->outer);
		fputs(row->back, b.out);
		assert_int_equal(read_built(&b, &err), fits ? 0 : -1);
		if (!fits)
			assert_has(err.text, "nested deeper than 64 levels");
	}
}

UNIT_TEST("depth: a million levels are refused at once")
{
	cleanup_builder b = builder_open();
	struct err err = {0};

	b.out = open_memstream(&b.bytes, &b.len);
	assert_non_null(b.out);
	fputs("{\"x\":", b.out);
	repeat(b.out, "[", 1000000);
	assert_int_equal(read_built(&b, &err), -1);
	assert_has(err.text, "nested deeper");
	assert_one_line(&err);
}

static const struct count_case {
	const char *name;
	const char *front;
	const char *member; /* a format; gets the place */
	const char *back;
	const char *error;
} count_cases[] = {
	{"count: items of an array", "{\"list\":[", "\"s\"", "]}", "list: more than 131072 items"},
	{"count: items of an array in an array", "{\"matrix\":[[1],[", "7", "]]}",
	 "matrix[1]: more than 131072 items"},
	{"count: members that are taken", "{\"map\":{", "\"k%zu\":\"s\"", "}}",
	 "map: more than 131072 items"},
	{"count: members beside the known ones", "{", "\"k%zu\":1", "}",
	 "line 1: more than 131072 items"},
};

UNIT_ROWS(count_cases)
{
	for (size_t n = JSON_ITEMS_MAX; n <= JSON_ITEMS_MAX + 1; n++) {
		cleanup_builder b = builder_open();
		struct err err = {0};
		bool fits = n <= JSON_ITEMS_MAX;

		b.out = open_memstream(&b.bytes, &b.len);
		assert_non_null(b.out);
		fputs(row->front, b.out);
		for (size_t i = 0; i < n; i++) {
			fputs(i ? "," : "", b.out);
/* The formats are constants of the table. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			fprintf(b.out, row->member, i);
#pragma GCC diagnostic pop
		}
		fputs(row->back, b.out);
		assert_int_equal(read_built(&b, &err), fits ? 0 : -1);
		if (!fits)
			assert_has(err.text, row->error);
	}
}

UNIT_TEST("count: values in all")
{
	for (size_t n = JSON_VALUES_MAX; n <= JSON_VALUES_MAX + 1; n++) {
		cleanup_builder b = builder_open();
		struct err err = {0};
		bool fits = n <= JSON_VALUES_MAX;

		b.out = open_memstream(&b.bytes, &b.len);
		assert_non_null(b.out);
		/* The root, x, and arrays of 1,024 values */
		fputs("{\"x\":[[", b.out);
		for (size_t i = 3; i < n; i++) {
			bool begins = i % 1024 == 0;

			fputs(begins ? "],[" : i == 3 || i % 1024 == 1 ? "1" : ",1", b.out);
		}
		fputs("]]}", b.out);
		assert_int_equal(read_built(&b, &err), fits ? 0 : -1);
		if (!fits)
			assert_has(err.text, "values in all");
	}
}
