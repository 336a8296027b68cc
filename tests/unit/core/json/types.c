/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of shape, every type against every other, integers at their limits */
#include "suite.h"

UNIT_TEST("every kind of shape is read")
{
	WITH_ARENA;
	struct fields fields;

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

UNIT_TEST("an item of an array has a line and no key")
{
	WITH_ARENA;
	struct fields fields;

	assert_int_equal(read_fields(&arena, "{\n\"list\":\n[\"a\",\n\"b\"]}", &fields, &err), 0);
	assert_string_equal(fields.last_key, "(none)");
	assert_string_equal(fields.last_text, "b");
	assert_int_equal(fields.last_line, 4);
}

UNIT_TEST("null leaves a field as it is")
{
	WITH_ARENA;
	struct fields fields = {.text = "before"};

	assert_int_equal(read_json(&arena, "{\"text\":null}", 13, 0, &fields_shape, &fields, &err),
			 0);
	assert_string_equal(fields.text, "before");
}

UNIT_TEST("false is stored too")
{
	WITH_ARENA;
	struct fields fields = {.flag = true};

	assert_int_equal(read_json(&arena, "{\"flag\":false}", 14, 0, &fields_shape, &fields, &err),
			 0);
	assert_false(fields.flag);
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
	struct json_shape shape = {.types = (unsigned)want->type};
	char expected[64];
	int status = read_json(&arena, found->json, strlen(found->json), 0, &shape, NULL, &err);

	if (want->type == found->type) {
		assert_int_equal(status, 0);
		return;
	}
	assert_int_equal(status, -1);
	(void)snprintf(expected, sizeof(expected), "expected %s, found %s", want->called,
		       found->called);
	assert_has(err.text, expected);
}

UNIT_TEST("types: every one against every other")
{
	for (size_t i = 0; i < LENGTH(type_samples); i++) {
		for (size_t j = 0; j < LENGTH(type_samples); j++)
			check_type(&type_samples[i], &type_samples[j]);
	}
}

/* ---- words ---- */

struct words {
	enum { FIRST, SECOND, THIRD } word;
	bool flag;
	bool behind; /* what stores one field leaves the next */
};

#define WORDS                                                                                      \
	(const char *const[])                                                                      \
	{                                                                                          \
		"first", "second", "third", NULL                                                   \
	}

static const struct json_shape word = {.types = JSON_STRING,
				       .store = JSON_STORE_WORD,
				       .offset = offsetof(struct words, word),
				       .words = WORDS};
static const struct json_shape no_or_yes = {.types = JSON_STRING | JSON_BOOL,
					    .store = JSON_STORE_BOOL,
					    .offset = offsetof(struct words, flag),
					    .words = (const char *const[]){"no", "yes", NULL}};
static const struct json_shape words_shape = {
	.types = JSON_OBJECT,
	.members = MEMBERS{{"word", &word}, {"flag", &no_or_yes}, {0}},
};

static const struct word_case {
	const char *name;
	const char *json;
	struct words want;
	const char *error; /* NULL: none */
} word_cases[] = {
	{"word: the first is 0", "{\"word\":\"first\"}", LIST(FIRST, true, true), NULL},
	{"word: the second", "{\"word\":\"second\"}", LIST(SECOND, true, true), NULL},
	{"word: the last", "{\"word\":\"third\"}", LIST(THIRD, true, true), NULL},
	{"word: none of them", "{\"word\":\"fourth\"}", LIST(THIRD, true, true),
	 "word: 'fourth' is not one of first, second, third"},
	{"word: the beginning of one", "{\"word\":\"sec\"}", LIST(THIRD, true, true),
	 "word: 'sec' is not one of first, second, third"},
	{"word: more than one", "{\"word\":\"firsts\"}", LIST(THIRD, true, true),
	 "word: 'firsts' is not one of first, second, third"},
	{"word: the first of two is false", "{\"flag\":\"no\"}", LIST(THIRD, false, true), NULL},
	{"word: the second of two is true", "{\"flag\":\"yes\"}", LIST(THIRD, true, true), NULL},
	{"word: a boolean beside words", "{\"flag\":false}", LIST(THIRD, false, true), NULL},
	{"word: neither of two", "{\"flag\":\"maybe\"}", LIST(THIRD, true, true),
	 "flag: 'maybe' is not one of no, yes"},
};

UNIT_ROWS(word_cases)
{
	WITH_ARENA;
	struct words words = {THIRD, true, true};
	int status = read_json(&arena, row->json, strlen(row->json), 0, &words_shape, &words, &err);

	assert_int_equal(status, row->error ? -1 : 0);
	assert_has(err.text, row->error ? row->error : "");
	assert_int_equal(words.word, row->want.word);
	assert_int_equal(words.flag, row->want.flag);
	assert_true(words.behind);
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

	(void)snprintf(json, sizeof(json), "{\"n\":%s}", row->text);
	assert_int_equal(read_fields(&arena, json, &fields, &err), row->is_signed ? 0 : -1);
	assert_true(fields.number == row->number);
	if (!row->is_signed)
		assert_has(err.text, "an integer in the range of 64 bits");
	(void)snprintf(json, sizeof(json), "{\"u\":%s}", row->text);
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

	(void)snprintf(json, sizeof(json), "{\"n\":%s}", row->text);
	assert_int_equal(read_fields(&arena, json, &fields, &err), -1);
	/* Also where nobody wants it */
	(void)snprintf(json, sizeof(json), "{\"x\":%s}", row->text);
	assert_int_equal(read_fields(&arena, json, &fields, &err), -1);
	(void)snprintf(json, sizeof(json), "%s", row->text);
	assert_int_equal(read_fields(&arena, json, &fields, &err), -1);
}
