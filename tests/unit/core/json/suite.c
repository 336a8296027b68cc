/* SPDX-License-Identifier: Apache-2.0 */
#include "suite.h"

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

#define FIELD(kind, member) JSON_FIELD(kind, struct fields, member)

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
const struct json_shape fields_shape = {
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

int read_json(struct arena *arena, const char *json, size_t len, unsigned options,
	      const struct json_shape *shape, void *context, struct err *err)
{
	char *exact = unit_exact(json, len);
	struct json_source source = {"file.json", exact, len, options};
	int status = json_read(arena, &source, shape, context, err);

	free(exact);
	return status;
}

int read_fields(struct arena *arena, const char *json, struct fields *fields, struct err *err)
{
	*fields = (struct fields){0};
	return read_json(arena, json, strlen(json), 0, &fields_shape, fields, err);
}

int main(void)
{
	return unit_main("json");
}
