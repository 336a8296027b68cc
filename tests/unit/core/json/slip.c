/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with a JSON text, and in which line, for who has to mend it. */
#include "tests/unit/unit.h"

#include "core/json/reader.h"

#define ENDS "the text ends in the middle of a value: "

static const struct slip_case {
	const char *name;
	const char *text;
	unsigned options;
	const char *error;
} slip_cases[] = {
	{"comma: in an object", "{\n\"a\": 1,\n\n}", 0, "f: line 2: nothing follows this comma"},
	{"comma: in an array", "[1,\n2,\n]", 0, "f: line 2: nothing follows this comma"},
	{"comma: in an inner one", "{\"a\": [1,\n2 ,], \"b\": 1}", 0,
	 "f: line 2: nothing follows this comma"},
	{"comma: right before the bracket", "{\"a\": 1,}", 0,
	 "f: line 1: nothing follows this comma"},
	{"comma: before a comment", "{\"a\": 1, // ,\n /* } */\n}", JSON_COMMENTS,
	 "f: line 1: nothing follows this comma"},
	{"comma: behind a string with brackets", "[\"\\\"],}\", \n]", 0,
	 "f: line 1: nothing follows this comma"},
	{"comma: alone", "[,]", 0, "f: line 1: nothing follows this comma"},
	{"comma: none, but a word", "{\n\"a\": x}", 0, "f: line 2: lexical error: "},
	{"comma: one before, but a word behind", "{\"a\": 1,\nx}", 0, "f: line 2: lexical error: "},
	{"comma: where no item is missing", "{\"a\": [1,2]]", 0, "f: line 1: parse error: "},
	{"comma: text behind the value", "[1]\n,", 0, "f: line 2: parse error: trailing garbage"},
	{"unclosed: an object", "\n{\"a\": 1\n\n", 0, "f: line 2: " ENDS "this '{' is not closed"},
	{"unclosed: an array", "{\"a\":\n[1, {}", 0, "f: line 2: " ENDS "this '[' is not closed"},
	{"unclosed: the outer of two", "{\"a\":\n[1]", 0,
	 "f: line 1: " ENDS "this '{' is not closed"},
	{"unclosed: a string", "{\"a\":\n\"x}", 0, "f: line 2: " ENDS "this string is not closed"},
	{"unclosed: a string that ends in a backslash", "{\"a\":\n\"x\\", 0,
	 "f: line 2: " ENDS "this string is not closed"},
	{"unclosed: a string that ends in an escaped quote", "{\"a\":\n\"x\\\"", 0,
	 "f: line 2: " ENDS "this string is not closed"},
	{"unclosed: a comment", "{\"a\": 1 /*\n}\n", JSON_COMMENTS,
	 "f: line 1: " ENDS "this comment is not closed"},
	{"unclosed: a comment of three characters", "[ /*/\n]", JSON_COMMENTS,
	 "f: line 1: " ENDS "this comment is not closed"},
	{"unclosed: behind a comment with brackets", "[ /* ] { */\n{} // ]", JSON_COMMENTS,
	 "f: line 1: " ENDS "this '[' is not closed"},
	{"unclosed: an end in a string is none", "{\"a\": \"}\"", 0,
	 "f: line 1: " ENDS "this '{' is not closed"},
	{"unclosed: nothing", "", 0, "f: the text ends in the middle of a value"},
	{"unclosed: blanks", " \n", 0, "f: the text ends in the middle of a value"},
};

static const struct json_shape inner = {.types = JSON_STRING | JSON_NUMBER};
static const struct json_shape both = {.types = JSON_BOOL | JSON_STRING | JSON_ARRAY | JSON_NULL};
static const struct json_shape any = {
	.types = JSON_OBJECT | JSON_ARRAY,
	.members = (const struct json_member[]){{"inner", &inner}, {"both", &both}, {0}},
};

static int read_text(const char *text, unsigned options, struct err *err)
{
	cleanup_arena arena = {0};
	size_t len = strlen(text);
	char *exact = unit_exact(text, len);
	struct json_source source = {"f", exact, len, options};
	int status = json_read(&arena, &source, &any, NULL, err);

	free(exact);
	return status;
}

UNIT_ROWS(slip_cases)
{
	struct err err = {0};

	assert_int_equal(read_text(row->text, row->options, &err), -1);
	assert_int_equal(strncmp(err.text, row->error, strlen(row->error)), 0);
	assert_one_line(&err);
}

static const struct type_case {
	const char *name;
	const char *text;
	const char *error;
} type_cases[] = {
	{"type: null, where two are wanted", "{\n\"inner\": null}",
	 "f: line 2: inner: expected a number or a string, found null"},
	{"type: three are wanted, and null", "{\"both\": {}}",
	 "f: line 1: both: expected a boolean or a string or an array, found an object"},
	{"type: null is the whole text", "\nnull\n",
	 "f: line 2: expected an array or an object, found null"},
};

UNIT_ROWS(type_cases)
{
	struct err err = {0};

	assert_int_equal(read_text(row->text, 0, &err), -1);
	assert_string_equal(err.text, row->error);
}

int main(void)
{
	return unit_main("slip");
}
