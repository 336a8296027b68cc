/* SPDX-License-Identifier: Apache-2.0 */
/* Depth, number of items, length of keys */
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
		(void)fputs(text_part, out);
}

static int read_built(struct builder *b, const struct json_shape *shape, struct err *err)
{
	cleanup_arena arena = {0};
	struct fields fields = {0};

	assert_int_equal(fclose(b->out), 0);
	return read_json(&arena, b->bytes, b->len, 0, shape, &fields, err);
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
	{"depth: the root itself", "", 0, "[", "", "]", ""},
};

UNIT_ROWS(depth_cases)
{
	const struct json_shape any = {.types = ~0U};
	const struct json_shape *shape = row->outer ? &fields_shape : &any;

	for (size_t depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 1; depth++) {
		cleanup_builder b = builder_open();
		struct err err = {0};
		bool fits = depth <= JSON_DEPTH_MAX;

		b.out = open_memstream(&b.bytes, &b.len);
		assert_non_null(b.out);
		(void)fputs(row->front, b.out);
		repeat(b.out, row->open, depth - row->outer);
		(void)fputs(row->value, b.out);
		repeat(b.out, row->close, depth - row->outer);
		(void)fputs(row->back, b.out);
		assert_int_equal(read_built(&b, shape, &err), fits ? 0 : -1);
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
	(void)fputs("{\"x\":", b.out);
	repeat(b.out, "[", 1000000);
	assert_int_equal(read_built(&b, &fields_shape, &err), -1);
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
	{"count: items of an array", "{\"list\":[", "\"s\"", "]}",
	 "list[65535]: more than 65536 items"},
	{"count: items of an array in an array", "{\"matrix\":[[1],[", "7", "]]}",
	 "matrix[1][65535]: more than 65536 items"},
	{"count: members that a callback takes", "{\"map\":{", "\"k%zu\":\"s\"", "}}",
	 "more than 65536 members"},
	{"count: members beside the known ones", "{", "\"k%zu\":1", "}", "more than 65536 members"},
};

UNIT_ROWS(count_cases)
{
	for (size_t n = JSON_ITEMS_MAX; n <= JSON_ITEMS_MAX + 1; n++) {
		cleanup_builder b = builder_open();
		struct err err = {0};
		bool fits = n <= JSON_ITEMS_MAX;

		b.out = open_memstream(&b.bytes, &b.len);
		assert_non_null(b.out);
		(void)fputs(row->front, b.out);
		for (size_t i = 0; i < n; i++) {
			(void)fputs(i ? "," : "", b.out);
/* The formats are the table's own. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			(void)fprintf(b.out, row->member, i);
#pragma GCC diagnostic pop
		}
		(void)fputs(row->back, b.out);
		assert_int_equal(read_built(&b, &fields_shape, &err), fits ? 0 : -1);
		if (!fits)
			assert_has(err.text, row->error);
	}
}

/* A key that is too long to keep is none of ours, and its beginning does not pass for one. */
static void check_long_key(size_t len)
{
	WITH_ARENA;
	struct fields fields;
	char key[600];
	char json[700];

	memset(key, 'n', sizeof(key));
	(void)snprintf(json, sizeof(json), "{\"%.*s\":\"x\"}", (int)len, key);
	assert_int_equal(read_fields(&arena, json, &fields, &err), 0);
	/* In "map" a number is refused, unless its key is none that anybody is asked about. */
	(void)snprintf(json, sizeof(json), "{\"map\":{\"%.*s\":1}}", (int)len, key);
	assert_int_equal(read_fields(&arena, json, &fields, &err), len < 512 ? -1 : 0);
	(void)snprintf(json, sizeof(json), "{\"closed\":{\"%.*s\":\"x\"}}", (int)len, key);
	assert_int_equal(read_fields(&arena, json, &fields, &err), -1);
	assert_has(err.text, "file.json: line 1: closed.nnn");
	assert_one_line(&err);
}

UNIT_TEST("a key that is too long does not pass for its beginning")
{
	for (size_t len = 250; len <= 260; len++)
		check_long_key(len);
	for (size_t len = 505; len <= 515; len++)
		check_long_key(len);
}
