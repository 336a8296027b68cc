/* SPDX-License-Identifier: Apache-2.0 */
/* Every type where another is expected; integers at their limits */
#include <errno.h>

#include "suite.h"

UNIT_TEST("every kind of value is read")
{
	WITH_ARENA;
	struct fields fields;

	assert_int_equal(read_fields(&arena,
				     "{\"text\":\"a\\u00e9\\n\",\"n\":-5,\"u\":7,\"flag\":true,"
				     "\"word\":\"second\",\"list\":[\"x\",\"y\\t\"],"
				     "\"matrix\":[[1],[]],\n\"map\":{\"k\\u0065y\":\n\"z\"}}",
				     &fields, &err),
			 0);
	assert_string_equal(fields.text, "a\xc3\xa9\n");
	assert_int_equal(fields.number, -5);
	assert_int_equal(fields.count, 7);
	assert_true(fields.flag);
	assert_int_equal(fields.word, 1);
	assert_int_equal(fields.n_list, 2);
	assert_string_equal(fields.list[0], "x");
	assert_string_equal(fields.list[1], "y\t");
	assert_int_equal(fields.strings, 1);
	assert_string_equal(fields.last_key, "key");
	assert_string_equal(fields.last_text, "z");
	assert_int_equal(fields.last_line, 3);
}

UNIT_TEST("what is absent or null leaves what was before")
{
	static const char *const texts[] = {"{}", "{\"text\":null,\"list\":null}"};

	for (size_t i = 0; i < LENGTH(texts); i++) {
		WITH_ARENA;
		struct fields fields = {.number = 1, .count = 2, .flag = true, .n_list = 3};

		assert_int_equal(read_json(&arena, texts[i], strlen(texts[i]), 0, &fields, &err),
				 0);
		assert_null(fields.text);
		assert_int_equal(fields.number, 1);
		assert_int_equal(fields.count, 2);
		assert_true(fields.flag);
		assert_int_equal(fields.word, 0);
		assert_null(fields.list);
		assert_int_equal(fields.n_list, 3);
	}
}

UNIT_TEST("false is read too")
{
	WITH_ARENA;
	struct fields fields = {.flag = true};

	assert_int_equal(read_json(&arena, "{\"flag\":false}", 14, 0, &fields, &err), 0);
	assert_false(fields.flag);
}

UNIT_TEST("lines: asked for in any order")
{
	static const char text[] = "[\n1,\n[2,\n3],\n\n4]";
	WITH_ARENA;
	struct json_document doc;
	const struct json_node *one;

	assert_int_equal(json_parse(&doc, &arena, "f", text, strlen(text), 0, &err), 0);
	one = json_first(doc.root);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(json_line(&doc, one->next->next), 6);
		assert_int_equal(json_line(&doc, one), 2);
		assert_int_equal(json_line(&doc, one->next), 3);
		assert_int_equal(json_line(&doc, doc.root), 1);
	}
}

UNIT_TEST("after an error: the first reason stays, and texts are no NULL")
{
	WITH_ARENA;
	struct json_document doc;
	const struct json_node *array;
	size_t n = 5;

	assert_int_equal(json_parse(&doc, &arena, "f", "{\"a\":[1,2]}", 11, 0, &err), 0);
	array = json_get(&doc, doc.root, "a", JSON_ARRAY);
	assert_string_equal(json_string(&doc, json_first(array)), "");
	assert_true(doc.failed);
	assert_int_equal(json_fail(&doc, doc.root, "another"), -1);
	assert_int_equal(json_no_memory(&doc), -1);
	assert_null(json_items(&doc, array, 1));
	assert_null(json_strings(&doc, array, &n));
	assert_int_equal(n, 5);
	assert_string_equal(err.text, "f: line 1: a[0]: expected a string, found a number");
	assert_false(err.errnum == ENOMEM);
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
	WITH_ARENA;
	struct json_document doc;
	char text[32];
	char expected[64];
	int len = snprintf(text, sizeof(text), "{\"v\":%s}", found->json);
	const struct json_node *got;

	assert_int_equal(json_parse(&doc, &arena, "f", text, (size_t)len, 0, &err), 0);
	got = json_get(&doc, doc.root, "v", want->type | JSON_NULL);
	assert_true(!got == (want->type != found->type));
	assert_true(doc.failed == (want->type != found->type && found->type != JSON_NULL));
	got = json_get(&doc, doc.root, "v", want->type);
	if (want->type == found->type) {
		assert_false(doc.failed);
		return;
	}
	assert_null(got);
	assert_true(doc.failed);
	snprintf(expected, sizeof(expected), "expected %s, found %s", want->called, found->called);
	assert_has(err.text, expected);
}

UNIT_TEST("types: every one against every other")
{
	for (size_t i = 1; i < LENGTH(type_samples); i++) {
		for (size_t j = 0; j < LENGTH(type_samples); j++)
			check_type(&type_samples[i], &type_samples[j]);
	}
}

UNIT_TEST("types: two are wanted, or null")
{
	WITH_ARENA;
	struct json_document doc;

	assert_int_equal(json_parse(&doc, &arena, "f", "{\n\"v\":{}}", 9, 0, &err), 0);
	assert_null(json_get(&doc, doc.root, "v", JSON_STRING | JSON_BOOL | JSON_NULL));
	assert_string_equal(err.text,
			    "f: line 2: v: expected a boolean or a string, found an object");
}

/* ---- words ---- */

static const struct word_case {
	const char *name;
	const char *json;
	unsigned want;
	const char *error; /* NULL: none */
} word_cases[] = {
	{"word: the first is 0", "{\"word\":\"first\"}", 0, NULL},
	{"word: the last", "{\"word\":\"third\"}", 2, NULL},
	{"word: spelt with an escape", "{\"word\":\"\\u0074hird\"}", 2, NULL},
	{"word: none of them", "{\"word\":\"fourth\"}", 0,
	 "word: 'fourth' is not one of first, second, third"},
	{"word: the beginning of one", "{\"word\":\"sec\"}", 0,
	 "word: 'sec' is not one of first, second, third"},
	{"word: more than one", "{\"word\":\"firsts\"}", 0,
	 "word: 'firsts' is not one of first, second, third"},
};

UNIT_ROWS(word_cases)
{
	WITH_ARENA;
	struct fields fields;

	assert_int_equal(read_fields(&arena, row->json, &fields, &err), row->error ? -1 : 0);
	assert_has(err.text, row->error ? row->error : "");
	assert_int_equal(fields.word, row->want);
}

UNIT_TEST("an item has no key, and what is no string equals no text")
{
	static const char text[] = "{\"a\":[[1],1,\"1\"]}";
	WITH_ARENA;
	struct json_document doc;
	const struct json_node *item;

	assert_int_equal(json_parse(&doc, &arena, "f", text, strlen(text), 0, &err), 0);
	item = json_first(json_first(doc.root));
	assert_false(json_key_is(item, "a"));
	assert_null(json_key(&doc, item));
	assert_false(json_equals(item, "1"));
	assert_false(json_equals(item->next, "1"));
	assert_true(json_equals(item->next->next, "1"));
	assert_false(json_equals(NULL, "1"));
	assert_false(doc.failed);
}

UNIT_TEST("known keys: what is no object is told by its type")
{
	static const char *const known[] = {"a", NULL};
	WITH_ARENA;
	struct json_document doc;

	assert_int_equal(json_parse(&doc, &arena, "f", "[1]", 3, 0, &err), 0);
	json_known_keys(&doc, NULL, known);
	assert_false(doc.failed);
	json_known_keys(&doc, doc.root, known);
	assert_string_equal(err.text, "f: line 1: expected an object, found an array");
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

UNIT_ROWS(integer_cases)
{
	WITH_ARENA;
	struct fields fields;
	char json[64];

	snprintf(json, sizeof(json), "{\"n\":%s}", row->text);
	assert_int_equal(read_fields(&arena, json, &fields, &err), row->is_signed ? 0 : -1);
	assert_true(fields.number == row->number);
	if (!row->is_signed)
		assert_has(err.text, "an integer in the range of 64 bits");
	snprintf(json, sizeof(json), "{\"u\":%s}", row->text);
	assert_int_equal(read_fields(&arena, json, &fields, &err), row->is_unsigned ? 0 : -1);
	assert_true(fields.count == row->count);
	if (!row->is_unsigned)
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

UNIT_ROWS(no_number_cases)
{
	WITH_ARENA;
	struct fields fields;
	char json[64];

	snprintf(json, sizeof(json), "{\"n\":%s}", row->text);
	assert_int_equal(read_fields(&arena, json, &fields, &err), -1);
	/* Also in an unused member */
	snprintf(json, sizeof(json), "{\"x\":%s}", row->text);
	assert_int_equal(read_fields(&arena, json, &fields, &err), -1);
	snprintf(json, sizeof(json), "%s", row->text);
	assert_int_equal(read_fields(&arena, json, &fields, &err), -1);
}
