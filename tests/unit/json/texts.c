/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <inttypes.h>

#include "core/json/reader.h"
#include "core/json/writer.h"

/*
 * The shapes that most tests read: an open root with one member per kind of shape that there is.
 */
struct fields {
	const char *text;
	int64_t number;
	uint64_t count;
	bool flag;
	size_t begun;   /* .take of list, map and item */
	size_t left;    /* .leave of item */
	size_t strings; /* items of list, members of map */
	char last_key[300];
	char last_text[300];
	size_t last_line;
};

static int take_begin(void *context, const struct json_value *value, struct err *err)
{
	struct fields *fields = context;

	(void)value;
	(void)err;
	fields->begun++;
	return 0;
}

static int take_string(void *context, const struct json_value *value, struct err *err)
{
	struct fields *fields = context;

	if (value->type != JSON_STRING)
		return err_set(err, "callback got no string");
	if (value->len == 3 && memcmp(value->text, "bad", 3) == 0)
		return err_set(err, "callback says no");
	fields->strings++;
	fields->last_line = json_line(value);
	(void)snprintf(fields->last_key, sizeof(fields->last_key), "%s",
		       value->key ? value->key : "(none)");
	(void)snprintf(fields->last_text, sizeof(fields->last_text), "%.*s", (int)value->len,
		       value->text);
	return 0;
}

static int leave_item(void *context, struct err *err)
{
	struct fields *fields = context;

	if (fields->left == 2)
		return err_set(err, "one item too many");
	fields->left++;
	return 0;
}

#define MEMBERS (const struct json_member[])
#define FIELD(kind, member) .store = JSON_STORE_##kind, .offset = offsetof(struct fields, member)

static const struct json_shape text = {.types = JSON_STRING | JSON_NULL, FIELD(STRING, text)};
static const struct json_shape number = {.types = JSON_NUMBER, FIELD(INT64, number)};
static const struct json_shape count = {.types = JSON_NUMBER, FIELD(UINT64, count)};
static const struct json_shape flag = {.types = JSON_BOOL, FIELD(BOOL, flag)};
static const struct json_shape each_string = {.types = JSON_STRING, .take = take_string};
static const struct json_shape list = {
	.types = JSON_ARRAY | JSON_NULL, .take = take_begin, .each = &each_string};
static const struct json_shape map = {
	.types = JSON_OBJECT, .take = take_begin, .each = &each_string};
static const struct json_shape item = {
	.types = JSON_OBJECT,
	.take = take_begin,
	.leave = leave_item,
	.members = MEMBERS{{"n", &number}, {"list", &list}, {0}},
};
static const struct json_shape items = {.types = JSON_ARRAY, .each = &item};
static const struct json_shape closed = {.types = JSON_OBJECT,
					 .closed = true,
					 .members = MEMBERS{{"a", &number}, {"b", &text}, {0}}};
static const struct json_shape row = {.types = JSON_ARRAY, .each = &number};
static const struct json_shape matrix = {.types = JSON_ARRAY, .each = &row};
static const struct json_shape root = {
	.types = JSON_OBJECT,
	.members = MEMBERS{{"text", &text},
			   {"n", &number},
			   {"u", &count},
			   {"flag", &flag},
			   {"list", &list},
			   {"map", &map},
			   {"items", &items},
			   {"closed", &closed},
			   {"matrix", &matrix},
			   {0}},
};

static int read_json(struct arena *arena, const char *json, size_t len, unsigned options,
		     const struct json_shape *shape, void *context, struct err *err)
{
	char *exact = unit_exact(json, len);
	struct json_source source = {"file.json", exact, len, options};
	int status = json_read(arena, &source, shape, context, err);

	free(exact);
	return status;
}

static int read_fields(struct arena *arena, const char *json, struct fields *fields,
		       struct err *err)
{
	*fields = (struct fields){0};
	return read_json(arena, json, strlen(json), 0, &root, fields, err);
}

/* ---- what is read ---- */

static void every_kind_is_read(void **state)
{
	cleanup_arena arena = {0};
	struct fields fields;
	struct err err;

	(void)state;
	assert_int_equal(read_fields(&arena,
				     "{\"text\":\"a\\u00e9\\n\",\"n\":-5,\"u\":7,\"flag\":true,"
				     "\"list\":[\"x\",\"y\"],\"items\":[{\"n\":1},{}],"
				     "\"matrix\":[[1],[]],\"map\":\n{\"key\":\"z\"}}",
				     &fields, &err),
			 0);
	assert_string_equal(fields.text, "a\xc3\xa9\n");
	assert_int_equal(fields.number, 1);
	assert_int_equal(fields.count, 7);
	assert_true(fields.flag);
	assert_int_equal(fields.begun, 4);
	assert_int_equal(fields.left, 2);
	assert_int_equal(fields.strings, 3);
	assert_string_equal(fields.last_key, "key");
	assert_string_equal(fields.last_text, "z");
	assert_int_equal(fields.last_line, 2);
}

static void an_item_of_an_array_has_no_key(void **state)
{
	cleanup_arena arena = {0};
	struct fields fields;
	struct err err;

	(void)state;
	assert_int_equal(read_fields(&arena, "{\n\"list\":\n[\"a\",\n\"b\"]}", &fields, &err), 0);
	assert_string_equal(fields.last_key, "(none)");
	assert_string_equal(fields.last_text, "b");
	assert_int_equal(fields.last_line, 4);
}

static void null_leaves_a_field_as_it_is(void **state)
{
	cleanup_arena arena = {0};
	struct fields fields = {.text = "before"};
	struct err err;

	(void)state;
	assert_int_equal(read_json(&arena, "{\"text\":null}", 13, 0, &root, &fields, &err), 0);
	assert_string_equal(fields.text, "before");
}

static void false_is_stored_too(void **state)
{
	cleanup_arena arena = {0};
	struct fields fields = {.flag = true};
	struct err err;

	(void)state;
	assert_int_equal(read_json(&arena, "{\"flag\":false}", 14, 0, &root, &fields, &err), 0);
	assert_false(fields.flag);
}

/* ---- accepted and refused texts ---- */

static const struct text_case {
	const char *name;
	unsigned options;
	const char *json;
	const char *error; /* NULL: it is read */
} text_cases[] = {
	{"unknown members are skipped", 0, "{\"x\":1,\"y\":{\"text\":5},\"z\":[[{}]],\"w\":null}",
	 NULL},
	{"unknown members may occur twice", 0, "{\"x\":1,\"x\":2,\"y\":{\"x\":1,\"x\":2}}", NULL},
	{"an each-object may name a member twice: its callback decides", 0,
	 "{\"map\":{\"a\":\"1\",\"a\":\"2\"}}", NULL},
	{"what is inside a skipped value has no shape", 0,
	 "{\"x\":{\"n\":\"no number\",\"n\":0,\"closed\":{\"q\":1}}}", NULL},
	{"a big number is skipped where nobody wants it", 0, "{\"x\":1e999}", NULL},
	{"white space around the value", 0, " \t\r\n{} \t\r\n", NULL},

	{"a member twice is refused", 0, "{\"n\":1,\"n\":1}", "file.json: line 1: n: occurs twice"},
	{"a member twice is refused, with others between", 0,
	 "{\"n\":1,\"x\":{\"n\":2},\n\"u\":1,\n\"n\":1}", "file.json: line 3: n: occurs twice"},
	{"a member twice is refused, nested in an array's item", 0,
	 "{\"items\":[{\"n\":1},{\"n\":1,\n\"n\":2}]}",
	 "file.json: line 2: items[1].n: occurs twice"},
	{"a member twice is refused, spelt with an escape", 0, "{\"n\":1,\"\\u006e\":2}",
	 "n: occurs twice"},
	{"an object twice is refused", 0, "{\"closed\":{},\"closed\":{}}",
	 "file.json: line 1: closed: occurs twice"},
	{"a member twice is refused, null the first time", 0, "{\"text\":null,\"text\":\"x\"}",
	 "text: occurs twice"},
	{"each item begins anew", 0, "{\"items\":[{\"n\":1},{\"n\":1}]}", NULL},

	{"a closed object names the unknown key, the known ones and the line", 0,
	 "{\"closed\":{\"a\":1,\n\"c\":2}}",
	 "file.json: line 2: closed.c: unknown key; known here: a, b"},
	{"a closed object takes its members", 0, "{\"closed\":{\"b\":\"x\",\"a\":1}}", NULL},
	{"a closed object refuses a key that begins as a known one", 0, "{\"closed\":{\"ab\":1}}",
	 "closed.ab: unknown key"},
	{"a closed object refuses the empty key", 0, "{\"closed\":{\"\":1}}", "unknown key"},

	{"path: member", 0, "{\"n\":\"x\"}",
	 "file.json: line 1: n: expected a number, found a string"},
	{"path: item", 0, "{\"list\":[\"a\",\"b\",\n3]}",
	 "file.json: line 2: list[2]: expected a string, found a number"},
	{"path: array in an array", 0, "{\"matrix\":[[1,2],[3,true]]}",
	 "matrix[1][1]: expected a number, found a boolean"},
	{"path: array in an item", 0, "{\"items\":[{},{\"list\":[\"a\",{}]}]}",
	 "items[1].list[1]: expected a string, found an object"},
	{"path: after a nested object has ended", 0, "{\"closed\":{\"a\":1},\"n\":[]}",
	 "line 1: n: expected a number, found an array"},
	{"path: root", 0, "\n[]", "file.json: line 2: expected an object, found an array"},
	{"path: a number for the root", 0, "12",
	 "file.json: line 1: expected an object, found a number"},
	{"path: null for the root", 0, "null", "expected an object, found null"},
	{"path: a callback's reason comes behind it", 0, "{\"map\":{\"k\":\"bad\"}}",
	 "file.json: line 1: map.k: callback says no"},
	{"path: a leave callback's reason too", 0, "{\"items\":[{},{},{}]}",
	 "file.json: line 1: items[2]: one item too many"},
	{"line: counted over CR LF", 0, "{\r\n\r\n\"n\":\"x\"}", "line 3: n: expected"},
	{"line: of a number at a line's end", 0, "{\"u\":\n-1\n}", "line 2: u: -1 is not"},

	{"comments are refused without the option", 0, "{/* */}", "comment"},
	{"line comments are refused without the option", 0, "{// x\n}", "comment"},
	{"comments are read with the option", JSON_COMMENTS,
	 "// a\n{/* b */\"n\"/*c*/:/*d*/1//e\n}/*f*/\n// g\n", NULL},
	{"lines are counted through comments", JSON_COMMENTS, "/*\n\n*/\n// x\n{\"n\":true}",
	 "line 5: n: expected a number"},
	{"a comment does not end a string", JSON_COMMENTS, "{\"text\":\"/* // \"}", NULL},
	{"shell comments are refused", JSON_COMMENTS, "# x\n{}", "lexical error"},
	{"a comma before the end is refused", JSON_COMMENTS, "{\"n\":1,}", "parse error"},

	{"nothing is refused", 0, "", "file.json: the text ends before its value does"},
	{"white space alone is refused", 0, " \n\t", "the text ends before its value does"},
	{"a second value is refused", 0, "{}{}",
	 "file.json: line 1: parse error: trailing garbage"},
	{"a word behind the value is refused", 0, "{}\nx", "line 2:"},
	{"a bracket behind the value is refused", 0, "{}]", "trailing garbage"},
	{"a comma behind the value is refused", 0, "{},", "trailing garbage"},
	{"a closing bracket of the other kind is refused", 0, "{\"list\":[}", "parse error"},
	{"a byte order mark is refused", 0, "\xef\xbb\xbf{}", "lexical error"},
	{"single quotes are refused", 0, "{'n':1}", "lexical error"},
	{"a bare key is refused", 0, "{n:1}", "lexical error"},
	{"a key that is a number is refused", 0, "{1:1}", "parse error"},
	{"NaN is refused", 0, "{\"x\":NaN}", "lexical error"},
	{"True is refused", 0, "{\"flag\":True}", "lexical error"},
	{"a missing colon is refused", 0, "{\"n\" 1}", "parse error"},
	{"a syntax error in a part that nobody wants is refused", 0, "{\"x\":{\"a\":[1,]}}",
	 "parse error"},
	{"a raw line break in a string is refused", 0, "{\"text\":\"a\nb\"}", "lexical error"},
	{"a raw tab in a string is refused", 0, "{\"x\":\"a\tb\"}", "lexical error"},
	{"an unknown escape is refused", 0, "{\"text\":\"\\x41\"}", "lexical error"},
	{"a short \\u escape is refused", 0, "{\"text\":\"\\u12\"}", "lexical error"},

	{"NUL: refused in a string that is stored", 0, "{\n\"text\":\"a\\u0000b\"}",
	 "file.json: line 2: text: holds a NUL character"},
	{"NUL: skipped in a string that nobody wants", 0, "{\"x\":\"a\\u0000b\"}", NULL},
	{"NUL: an open object's key does not pass for its beginning", 0, "{\"n\\u0000x\":\"text\"}",
	 NULL},
	{"NUL: nor does it use up the member", 0, "{\"n\\u0000x\":1,\"n\":1}", NULL},
	{"NUL: a closed object's key does not pass for its beginning", 0,
	 "{\"closed\":{\"a\\u0000x\":1}}", "NUL"},

	{"UTF-8: two, three and four bytes are read", 0,
	 "{\"text\":\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"}", NULL},
	{"UTF-8: a continuation alone is refused", 0, "{\"text\":\"\x80\"}", "UTF8"},
	{"UTF-8: a lead byte alone is refused", 0, "{\"text\":\"\xc3\"}", "UTF8"},
	{"UTF-8: a lead byte before a letter is refused", 0, "{\"text\":\"\xc3(\"}", "UTF8"},
	{"UTF-8: three bytes cut to two are refused", 0, "{\"text\":\"\xe2\x82\"}", "UTF8"},
	{"UTF-8: 0xff is refused", 0, "{\"text\":\"\xff\"}", "UTF8"},
	{"UTF-8: refused in a part that nobody wants too", 0, "{\"x\":\"\xff\"}", "UTF8"},
	{"UTF-8: refused in a key too", 0, "{\"\xff\":1}", "UTF8"},

	{"one line: a key with a line break does not break the error", 0,
	 "{\"closed\":{\"a\\nb\":1}}", "unknown key"},
	{"one line: a key with ESC does not reach the terminal", 0, "{\"map\":{\"\\u001b[2J\":1}}",
	 "expected a string"},
};

static void text_is_read_or_refused(void **state)
{
	const struct text_case *row_case = *state;
	cleanup_arena arena = {0};
	struct fields fields = {0};
	struct err err = {0};
	int status = read_json(&arena, row_case->json, strlen(row_case->json), row_case->options,
			       &root, &fields, &err);

	if (!row_case->error) {
		assert_string_equal(err.text, "");
		assert_int_equal(status, 0);
		return;
	}
	assert_int_equal(status, -1);
	/* A text that begins with the file is the whole error. */
	if (strncmp(row_case->error, "file.json: ", strlen("file.json: ")) == 0)
		assert_string_equal(err.text, row_case->error);
	assert_has(err.text, row_case->error);
	assert_has(err.text, "file.json: ");
	assert_one_line(&err);
}

static void a_nul_byte_in_the_text_is_refused(void **state)
{
	static const char *const texts[] = {"{}Q", "{Q}", "Q{}", "{\"text\":\"Q\"}", "{\"n\":1Q}"};

	(void)state;
	for (size_t i = 0; i < LENGTH(texts); i++) {
		cleanup_arena arena = {0};
		struct fields fields = {0};
		struct err err = {0};
		char json[32];
		size_t len = strlen(texts[i]);

		memcpy(json, texts[i], len + 1);
		*strchr(json, 'Q') = '\0';
		assert_int_equal(read_json(&arena, json, len, JSON_COMMENTS, &root, &fields, &err),
				 -1);
		assert_one_line(&err);
	}
}

/* ---- types ---- */

static const struct type_sample {
	enum json_type type;
	const char *json;
	const char *called;
} type_samples[] = {
	{JSON_NULL, "null", "null"},         {JSON_BOOL, "true", "a boolean"},
	{JSON_NUMBER, "1", "a number"},      {JSON_STRING, "\"s\"", "a string"},
	{JSON_ARRAY, "[1,[2]]", "an array"}, {JSON_OBJECT, "{\"a\":{}}", "an object"},
};

static void check_type(const struct type_sample *want, const struct type_sample *found)
{
	cleanup_arena arena = {0};
	struct json_shape shape = {.types = (unsigned)want->type};
	struct err err = {0};
	char expected[64];
	int status = read_json(&arena, found->json, strlen(found->json), 0, &shape, NULL, &err);

	if (want->type == found->type) {
		assert_int_equal(status, 0);
		return;
	}
	assert_int_equal(status, -1);
	(void)snprintf(expected, sizeof(expected), "expected %s, found %s",
		       want->type == JSON_NULL ? "another type" : want->called, found->called);
	assert_has(err.text, expected);
}

static void every_type_against_every_other(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(type_samples); i++) {
		for (size_t j = 0; j < LENGTH(type_samples); j++)
			check_type(&type_samples[i], &type_samples[j]);
	}
}

/* ---- integers ---- */

static const struct integer_case {
	const char *name;
	const char *text;
	bool is_signed;
	int64_t number;
	bool is_unsigned;
	uint64_t count;
} integer_cases[] = {
	{"integer: 0", "0", true, 0, true, 0},
	{"integer: 1", "1", true, 1, true, 1},
	{"integer: -1", "-1", true, -1, false, 0},
	{"integer: 2^63-1", "9223372036854775807", true, INT64_MAX, true, INT64_MAX},
	{"integer: 2^63", "9223372036854775808", false, 0, true, UINT64_C(1) << 63},
	{"integer: -2^63", "-9223372036854775808", true, INT64_MIN, false, 0},
	{"integer: -2^63-1", "-9223372036854775809", false, 0, false, 0},
	{"integer: 2^64-1", "18446744073709551615", false, 0, true, UINT64_MAX},
	{"integer: 2^64", "18446744073709551616", false, 0, false, 0},
	{"integer: -2^64+1", "-18446744073709551615", false, 0, false, 0},
	{"integer: -0 is 0, and no unsigned number", "-0", true, 0, false, 0},
	{"integer: 1.0 is refused", "1.0", false, 0, false, 0},
	{"integer: 1.5 is refused", "1.5", false, 0, false, 0},
	{"integer: 1e3 is refused", "1e3", false, 0, false, 0},
	{"integer: 1E0 is refused", "1E0", false, 0, false, 0},
	{"integer: 0e0 is refused", "0e0", false, 0, false, 0},
	{"integer: 1e999 is refused", "1e999", false, 0, false, 0},
	{"integer: 31 digits are refused", "1000000000000000000000000000000", false, 0, false, 0},
	{"integer: 40 digits are refused", "1000000000000000000000000000000000000000", false, 0,
	 false, 0},
};

static void integer_is_read_or_refused(void **state)
{
	const struct integer_case *row_case = *state;
	cleanup_arena arena = {0};
	struct fields fields;
	struct err err = {0};
	char json[64];

	(void)snprintf(json, sizeof(json), "{\"n\":%s}", row_case->text);
	assert_int_equal(read_fields(&arena, json, &fields, &err), row_case->is_signed ? 0 : -1);
	assert_true(fields.number == row_case->number);
	if (!row_case->is_signed)
		assert_has(err.text, "an integer in the range of 64 bits");
	(void)snprintf(json, sizeof(json), "{\"u\":%s}", row_case->text);
	assert_int_equal(read_fields(&arena, json, &fields, &err), row_case->is_unsigned ? 0 : -1);
	assert_true(fields.count == row_case->count);
	if (!row_case->is_unsigned)
		assert_has(err.text, "an integer from 0 to 2^64-1");
}

static const struct no_number_case {
	const char *name;
	const char *text;
} no_number_cases[] = {
	{"no JSON: 01", "01"},   {"no JSON: 00", "00"},     {"no JSON: -01", "-01"},
	{"no JSON: +1", "+1"},   {"no JSON: .5", ".5"},     {"no JSON: 1.", "1."},
	{"no JSON: 1e", "1e"},   {"no JSON: 0x10", "0x10"}, {"no JSON: -", "-"},
	{"no JSON: 1_0", "1_0"}, {"no JSON: 1 0", "1 0"},   {"no JSON: Infinity", "Infinity"},
};

static void spelling_is_no_json(void **state)
{
	const struct no_number_case *row_case = *state;
	cleanup_arena arena = {0};
	struct fields fields;
	struct err err = {0};
	char json[64];

	(void)snprintf(json, sizeof(json), "{\"n\":%s}", row_case->text);
	assert_int_equal(read_fields(&arena, json, &fields, &err), -1);
	/* Also where nobody wants it */
	(void)snprintf(json, sizeof(json), "{\"x\":%s}", row_case->text);
	assert_int_equal(read_fields(&arena, json, &fields, &err), -1);
	(void)snprintf(json, sizeof(json), "%s", row_case->text);
	assert_int_equal(read_fields(&arena, json, &fields, &err), -1);
}

/* ---- bounds ---- */

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

static void depth_64_is_read_and_65_is_not(void **state)
{
	const struct depth_case *row_case = *state;
	const struct json_shape any = {.types = ~0U};
	const struct json_shape *shape = row_case->outer ? &root : &any;

	for (size_t depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 1; depth++) {
		cleanup_builder b = builder_open();
		struct err err = {0};
		bool fits = depth <= JSON_DEPTH_MAX;

		b.out = open_memstream(&b.bytes, &b.len);
		assert_non_null(b.out);
		(void)fputs(row_case->front, b.out);
		repeat(b.out, row_case->open, depth - row_case->outer);
		(void)fputs(row_case->value, b.out);
		repeat(b.out, row_case->close, depth - row_case->outer);
		(void)fputs(row_case->back, b.out);
		assert_int_equal(read_built(&b, shape, &err), fits ? 0 : -1);
		if (!fits)
			assert_has(err.text, "nested deeper than 64 levels");
	}
}

static void a_million_levels_are_refused_at_once(void **state)
{
	cleanup_builder b = builder_open();
	struct err err = {0};

	(void)state;
	b.out = open_memstream(&b.bytes, &b.len);
	assert_non_null(b.out);
	(void)fputs("{\"x\":", b.out);
	repeat(b.out, "[", 1000000);
	assert_int_equal(read_built(&b, &root, &err), -1);
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

static void count_65536_is_read_and_one_more_is_not(void **state)
{
	const struct count_case *row_case = *state;

	for (size_t n = JSON_ITEMS_MAX; n <= JSON_ITEMS_MAX + 1; n++) {
		cleanup_builder b = builder_open();
		struct err err = {0};
		bool fits = n <= JSON_ITEMS_MAX;

		b.out = open_memstream(&b.bytes, &b.len);
		assert_non_null(b.out);
		(void)fputs(row_case->front, b.out);
		for (size_t i = 0; i < n; i++) {
			(void)fputs(i ? "," : "", b.out);
/* The formats are the table's own. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			(void)fprintf(b.out, row_case->member, i);
#pragma GCC diagnostic pop
		}
		(void)fputs(row_case->back, b.out);
		assert_int_equal(read_built(&b, &root, &err), fits ? 0 : -1);
		if (!fits)
			assert_has(err.text, row_case->error);
	}
}

/* A key that is too long to keep is none of ours, and its beginning does not pass for one. */
static void check_long_key(size_t len)
{
	cleanup_arena arena = {0};
	struct fields fields;
	struct err err = {0};
	char key[600];
	char json[700];

	memset(key, 'n', sizeof(key));
	(void)snprintf(json, sizeof(json), "{\"%.*s\":\"x\"}", (int)len, key);
	assert_int_equal(read_fields(&arena, json, &fields, &err), 0);
	(void)snprintf(json, sizeof(json), "{\"closed\":{\"%.*s\":\"x\"}}", (int)len, key);
	assert_int_equal(read_fields(&arena, json, &fields, &err), -1);
	assert_has(err.text, "file.json: line 1: closed.nnn");
	assert_one_line(&err);
}

static void long_keys_are_skipped_or_refused(void **state)
{
	(void)state;
	for (size_t len = 250; len <= 260; len++)
		check_long_key(len);
	for (size_t len = 505; len <= 515; len++)
		check_long_key(len);
}

/* ---- places ---- */

struct location {
	struct json_span span;
};

static const struct json_shape place_item = {.types = ~0U};
static const struct json_shape place = {.types = JSON_ARRAY | JSON_OBJECT | JSON_NULL,
					.store = JSON_STORE_SPAN,
					.offset = offsetof(struct location, span),
					.each = &place_item};
static const struct json_shape place_root = {.types = JSON_OBJECT,
					     .members = MEMBERS{{"a", &place}, {0}}};

static const struct span_case {
	const char *name;
	const char *json;
	const char *whole; /* NULL: absent */
	const char *until; /* the last item's end, from the begin; NULL: no item */
	bool is_null;
} span_cases[] = {
	{"place: absent", "{\"b\":[1]}", NULL, NULL, false},
	{"place: null", "{\"a\": null }", "null", NULL, true},
	{"place: an empty array", "{\"a\": [ ] }", "[ ]", NULL, false},
	{"place: an empty object", "{ \"b\":1,\"a\":{}}", "{}", NULL, false},
	{"place: strings", "{\"a\":[\"x\", \"]\\\"\" ] }", "[\"x\", \"]\\\"\" ]",
	 "[\"x\", \"]\\\"\"", false},
	{"place: a number at its end", "{\"a\":[1, 22\n]}", "[1, 22\n]", "[1, 22", false},
	{"place: a number, closed at once", "{\"a\":[22]}", "[22]", "[22", false},
	{"place: words", "{\"a\":[null,true , false ]}", "[null,true , false ]",
	 "[null,true , false", false},
	{"place: arrays and objects in it", "{\"a\":[[1],{\"a\":[2]} ],\"c\":[3]}",
	 "[[1],{\"a\":[2]} ]", "[[1],{\"a\":[2]}", false},
	{"place: an object's members", "{\"a\":{\"x\":1,\n\"y\":[2] }}", "{\"x\":1,\n\"y\":[2] }",
	 "{\"x\":1,\n\"y\":[2]", false},
	{"place: bytes, not characters", "{\"\xc3\xa4\":\"\\u00e4\",\"a\":[\"\xe2\x82\xac\"]}",
	 "[\"\xe2\x82\xac\"]", "[\"\xe2\x82\xac\"", false},
};

static void places_are_told_in_bytes(void **state)
{
	const struct span_case *row_case = *state;
	cleanup_arena arena = {0};
	struct location found = {.span = {0}};
	const struct json_span *span = &found.span;
	struct err err = {0};
	size_t begin;

	assert_int_equal(read_json(&arena, row_case->json, strlen(row_case->json), 0, &place_root,
				   &found, &err),
			 0);
	assert_int_equal(span->is_null, row_case->is_null);
	if (!row_case->whole) {
		assert_int_equal(span->begin + span->end + span->last_end, 0);
		return;
	}
	begin = (size_t)(strstr(row_case->json, row_case->whole) - row_case->json);
	assert_int_equal(span->begin, begin);
	assert_int_equal(span->end, begin + strlen(row_case->whole));
	assert_int_equal(span->last_end, row_case->until ? begin + strlen(row_case->until) : 0);
}

/* ---- cut off ---- */

static const char sample[] =
	"{\n\t\"text\": \"a\\u00e9\xc3\xa9\", \"n\": -12, \"u\": 18446744073709551615,\n"
	"\t\"flag\": true, \"list\": [\"x\", \"y\"], \"map\": {\"k\": \"v\"},\n"
	"\t\"items\": [{\"n\": 1}, {\"list\": null}], \"closed\": {\"b\": null},\n"
	"\t\"x\": [1.5e3, false, {\"y\": []}], \"matrix\": [[0], []]\n}";

static void cut_off_at_every_byte_is_an_error(void **state)
{
	(void)state;
	for (size_t len = 0; len <= strlen(sample); len++) {
		for (unsigned options = 0; options <= JSON_COMMENTS; options++) {
			cleanup_arena arena = {0};
			struct fields fields = {0};
			struct err err = {0};
			int status = read_json(&arena, sample, len, options, &root, &fields, &err);

			if (len == strlen(sample)) {
				assert_string_equal(err.text, "");
				assert_int_equal(status, 0);
				continue;
			}
			assert_int_equal(status, -1);
			assert_one_line(&err);
			assert_has(err.text, "file.json: ");
		}
	}
}

/* Any byte in any place: read or refused, never a crash; and what is refused says why. */
static void every_byte_changed_is_no_crash(void **state)
{
	static const unsigned char bytes[] = {0,   1,   '"', '\\', '{',  '}',  '[', ']',
					      ',', ':', '0', '-',  0x80, 0xff, 'n'};
	char json[sizeof(sample)];

	(void)state;
	for (size_t at = 0; at < strlen(sample); at++) {
		for (size_t i = 0; i < LENGTH(bytes); i++) {
			cleanup_arena arena = {0};
			struct fields fields = {0};
			struct err err = {0};

			memcpy(json, sample, sizeof(sample));
			json[at] = (char)bytes[i];
			if (read_json(&arena, json, strlen(sample), 0, &root, &fields, &err) < 0)
				assert_has(err.text, "file.json: ");
		}
	}
}

/* ---- writing ---- */

/* What a caller puts wrong: each letter is a call. */
static int put_letters(yajl_gen gen, void *context)
{
	for (const char *letter = context; *letter; letter++) {
		switch (*letter) {
		case '{':
			(void)yajl_gen_map_open(gen);
			break;
		case '}':
			(void)yajl_gen_map_close(gen);
			break;
		case 's':
			json_put_string(gen, "s");
			break;
		case 'e':
			json_put_text(gen, "e", "");
			break;
		case 'm':
			json_put_member(gen, "m", "");
			break;
		case 'u':
			json_put_uint64(gen, "u", UINT64_MAX);
			break;
		default:
			return -1;
		}
	}
	return 0;
}

static const struct letters_case {
	const char *name;
	const char *letters;
	const char *want; /* NULL: no text */
} letters_cases[] = {
	{"written: a value", "s", "\"s\""},
	{"written: an object", "{ss}", "{\"s\":\"s\"}"},
	{"written: an empty text is one, or null", "{em}", "{\"e\":\"\",\"m\":null}"},
	{"written: all of 64 bits", "{u}", "{\"u\":18446744073709551615}"},
	{"not written: nothing", "", NULL},
	{"not written: an object without its end", "{ss", NULL},
	{"not written: an object in an object without its end", "{s{}", NULL},
	{"not written: what says that it cannot", "{ss}!", NULL},
};

static void is_written_whole_or_not(void **state)
{
	const struct letters_case *letters = *state;
	cleanup_arena arena = {0};
	size_t len = 0;
	const char *written =
		json_write(&arena, false, put_letters, (void *)letters->letters, &len);

	if (!letters->want) {
		assert_null(written);
		return;
	}
	assert_non_null(written);
	assert_string_equal(written, letters->want);
	assert_int_equal(len, strlen(letters->want));
}

int main(void)
{
	static struct unit_suite suite;

	unit_add(&suite, "every kind of shape is read", every_kind_is_read, NULL);
	unit_add(&suite, "an item of an array has a line and no key",
		 an_item_of_an_array_has_no_key, NULL);
	unit_add(&suite, "null leaves a field as it is", null_leaves_a_field_as_it_is, NULL);
	unit_add(&suite, "false is stored too", false_is_stored_too, NULL);
	UNIT_TABLE(&suite, text_is_read_or_refused, text_cases);
	unit_add(&suite, "NUL: a byte 0 in the text is refused", a_nul_byte_in_the_text_is_refused,
		 NULL);
	unit_add(&suite, "types: every one against every other", every_type_against_every_other,
		 NULL);
	UNIT_TABLE(&suite, integer_is_read_or_refused, integer_cases);
	UNIT_TABLE(&suite, spelling_is_no_json, no_number_cases);
	UNIT_TABLE(&suite, depth_64_is_read_and_65_is_not, depth_cases);
	unit_add(&suite, "depth: a million levels are refused at once",
		 a_million_levels_are_refused_at_once, NULL);
	UNIT_TABLE(&suite, count_65536_is_read_and_one_more_is_not, count_cases);
	unit_add(&suite, "a key that is too long does not pass for its beginning",
		 long_keys_are_skipped_or_refused, NULL);
	UNIT_TABLE(&suite, places_are_told_in_bytes, span_cases);
	unit_add(&suite, "cut off at every byte: always an error",
		 cut_off_at_every_byte_is_an_error, NULL);
	unit_add(&suite, "changed at every byte: never a crash", every_byte_changed_is_no_crash,
		 NULL);
	UNIT_TABLE(&suite, is_written_whole_or_not, letters_cases);
	return unit_run(&suite, "json");
}
