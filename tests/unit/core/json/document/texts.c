/* SPDX-License-Identifier: Apache-2.0 */
/* Accepted and rejected texts, cut and changed at every byte. yajl parses: a row of grammar tests
 * how we call it. */
#include "suite.h"

static const struct text_case {
	const char *name;
	unsigned options;
	const char *json;
	const char *error; /* NULL: it is read */
} text_cases[] = {
	{"unknown members are skipped", 0, "{\"x\":1,\"y\":{\"text\":5},\"z\":[[{}]],\"w\":null}",
	 NULL},
	{"unknown members may occur twice", 0, "{\"x\":1,\"x\":2,\"y\":{\"x\":1,\"x\":2}}", NULL},
	{"members that a reader takes one by one may repeat", 0,
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
	{"a comma before the end is refused", JSON_COMMENTS, "{\"n\":1,}", "comma"},

	{"comma: the line of one that nothing follows", 0, "{\n\"n\": 1,\n\n}",
	 "file.json: line 2: nothing follows this comma: remove it"},
	{"comma: in an array", 0, "[1,\n2 , ]",
	 "file.json: line 2: nothing follows this comma: remove it"},
	{"comma: right before the bracket", 0, "[1,]",
	 "file.json: line 1: nothing follows this comma: remove it"},
	{"comma: none, but a bracket too many", 0, "{\"x\": [1,2]]", "line 1: parse error: "},
	{"a bracket too many is refused", 0, "{\"x\":\n[1,2]]", "line 2: parse error: "},
	{"unclosed: an object", 0, "\n{\"n\": 1\n\n",
	 "file.json: line 2: the text ends in the middle of a value: this '{' is not closed"},
	{"unclosed: an array", 0, "{\"x\":\n[1, {}",
	 "file.json: line 2: x: the text ends in the middle of a value: this '[' is not closed"},
	{"unclosed: the outer of two", 0, "{\"x\":\n[1]", "line 1: the text ends in the middle"},
	{"unclosed: a string", 0, "{\"x\":\n[\"x]}", "line 2: x: the text ends in the middle"},
	{"unclosed: a comment", JSON_COMMENTS, "{}\n/*\n",
	 "the last /* comment has no */: close it"},
	{"unclosed: a comment in the value", JSON_COMMENTS, "{\n/*\n}",
	 "line 1: the text ends in the middle"},

	{"nothing is refused", 0, "", "file.json: is empty"},
	{"white space alone is refused", 0, " \n\t", "file.json: is empty"},
	{"a second value is refused", 0, "{}{}",
	 "file.json: line 1: parse error: trailing garbage"},
	{"a word behind the value is refused", 0, "{}\nx", "line 2:"},
	{"a byte order mark is refused", 0, "\xef\xbb\xbf{}", "lexical error"},
	{"a word without quotes: what to do", 0, "{\"n\": 64Gi}", "(texts stand in double quotes)"},
	{"single quotes: what to do", 0, "{'n': 1}", "(texts stand in double quotes)"},
	{"a missing comma: what to do", 0, "[1\n2]",
	 "line 2: parse error: after array element, I expect ',' or ']' (a comma is missing)"},
	{"a syntax error in a part that nobody wants is refused", 0, "{\"x\":{\"a\":[1 2]}}",
	 "parse error"},
	{"a raw line break in a string is refused", 0, "{\"text\":\"a\nb\"}", "lexical error"},

	{"NUL: refused in a string that is stored", 0, "{\n\"text\":\"a\\u0000b\"}",
	 "file.json: line 2: text: contains a NUL character"},
	{"NUL: skipped in a string that nobody wants", 0, "{\"x\":\"a\\u0000b\"}", NULL},
	{"NUL: an open object's key does not pass for its beginning", 0, "{\"n\\u0000x\":\"text\"}",
	 NULL},
	{"NUL: nor does it use up the member", 0, "{\"n\\u0000x\":1,\"n\":1}", NULL},
	{"NUL: refused in a key that is taken", 0, "{\"map\":{\"k\\u0000x\":\"1\"}}",
	 "contains a NUL character"},
	{"a member's beginning is not that member", 0, "{\"tex\":1,\"fla\":1,\"lis\":1}", NULL},
	{"NUL: a closed object's key does not pass for its beginning", 0,
	 "{\"closed\":{\"a\\u0000x\":1}}", "unknown key"},

	{"UTF-8: two, three and four bytes are read", 0,
	 "{\"text\":\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"}", NULL},
	{"UTF-8: 0xff is refused", 0, "{\"text\":\"\xff\"}", "UTF8"},
	{"UTF-8: refused in a part that nobody wants too", 0, "{\"x\":\"\xff\"}", "UTF8"},
	{"UTF-8: refused in a key too", 0, "{\"\xff\":1}", "UTF8"},

	{"one line: a key with a line break does not break the error", 0,
	 "{\"closed\":{\"a\\nb\":1}}", "unknown key"},
	{"one line: a key with ESC does not reach the terminal", 0, "{\"map\":{\"\\u001b[2J\":1}}",
	 "expected a string"},
};

UNIT_ROWS(text_cases)
{
	WITH_ARENA;
	struct fields fields = {0};
	int status = read_json(&arena, row->json, strlen(row->json), row->options, &fields, &err);

	if (!row->error) {
		assert_string_equal(err.text, "");
		assert_int_equal(status, 0);
		return;
	}
	assert_int_equal(status, -1);
	/* A text that begins with the file's name is the whole error. */
	if (strncmp(row->error, "file.json: ", strlen("file.json: ")) == 0)
		assert_string_equal(err.text, row->error);
	assert_has(err.text, row->error);
	assert_has(err.text, "file.json: ");
	assert_one_line(&err);
}

UNIT_TEST("NUL: a byte 0 in the text is refused")
{
	static const char *const texts[] = {"{}Q", "{Q}", "Q{}", "{\"text\":\"Q\"}", "{\"n\":1Q}"};

	for (size_t i = 0; i < LENGTH(texts); i++) {
		WITH_ARENA;
		struct fields fields = {0};
		char json[32];
		size_t len = strlen(texts[i]);

		memcpy(json, texts[i], len + 1);
		*strchr(json, 'Q') = '\0';
		assert_int_equal(read_json(&arena, json, len, JSON_COMMENTS, &fields, &err), -1);
		assert_one_line(&err);
	}
}

/* ---- cut off ---- */

static const char sample[] =
	"{\n\t\"text\": \"a\\u00e9\xc3\xa9\", \"n\": -12, \"u\": 18446744073709551615,\n"
	"\t\"flag\": true, \"list\": [\"x\", \"y\"], \"map\": {\"k\": \"v\"},\n"
	"\t\"items\": [{\"n\": 1}, {\"list\": null}], \"closed\": {\"b\": null},\n"
	"\t\"x\": [1.5e3, false, {\"y\": []}], \"matrix\": [[0], []]\n}";

UNIT_TEST("cut off at every byte: always an error")
{
	for (size_t len = 0; len <= strlen(sample); len++) {
		for (unsigned options = 0; options <= JSON_COMMENTS; options++) {
			WITH_ARENA;
			struct fields fields = {0};
			int status = read_json(&arena, sample, len, options, &fields, &err);

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

/* Any byte at any place: accepted, or rejected with a reason; no crash */
UNIT_TEST("changed at every byte: never a crash")
{
	static const unsigned char bytes[] = {0,   1,   '"', '\\', '{',  '}',  '[', ']',
					      ',', ':', '0', '-',  0x80, 0xff, 'n'};
	char json[sizeof(sample)];

	for (size_t at = 0; at < strlen(sample); at++) {
		for (size_t i = 0; i < LENGTH(bytes); i++) {
			WITH_ARENA;
			struct fields fields = {0};

			memcpy(json, sample, sizeof(sample));
			json[at] = (char)bytes[i];
			if (read_json(&arena, json, strlen(sample), 0, &fields, &err) < 0)
				assert_has(err.text, "file.json: ");
		}
	}
}
