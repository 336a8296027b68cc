/* SPDX-License-Identifier: Apache-2.0 */
/* A value's offsets in the text */
#include "suite.h"

static const struct span_case {
	const char *name;
	const char *json;
	const char *whole; /* NULL: absent */
	const char *until; /* the last item's end, relative to the beginning; NULL: no item */
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

UNIT_ROWS(span_cases)
{
	WITH_ARENA;
	struct json_document doc;
	const struct json_node *place;
	size_t last = 0;
	size_t begin;

	assert_int_equal(json_parse(&doc, &arena, "f", row->json, strlen(row->json), 0, &err), 0);
	place = json_find(doc.root, "a");
	assert_int_equal(place && place->type == JSON_NULL, row->is_null);
	assert_int_equal(place != NULL, row->whole != NULL);
	if (!place || !row->whole)
		return;
	begin = (size_t)(strstr(row->json, row->whole) - row->json);
	assert_int_equal(place->begin, begin);
	assert_int_equal(place->end, begin + strlen(row->whole));
	json_each(item, place)
		last = item->end;
	assert_int_equal(last, row->until ? begin + strlen(row->until) : 0);
}
