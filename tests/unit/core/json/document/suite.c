/* SPDX-License-Identifier: Apache-2.0 */
#include "suite.h"

static void read_map(struct json_document *doc, const struct json_node *map, struct fields *fields)
{
	json_each(member, map) {
		snprintf(fields->last_key, sizeof(fields->last_key), "%s", json_key(doc, member));
		snprintf(fields->last_text, sizeof(fields->last_text), "%s",
			 json_string(doc, member));
		fields->last_line = json_line(doc, member);
		fields->strings++;
	}
}

static void read_items(struct json_document *doc, const struct json_node *items,
		       struct fields *fields)
{
	size_t ignored = 0;

	json_each(item, items) {
		fields->number = json_int64(doc, json_get(doc, item, "n", JSON_NUMBER), 1);
		(void)json_strings(doc, json_get(doc, item, "list", JSON_ARRAY | JSON_NULL),
				   &ignored);
	}
}

static void read_closed(struct json_document *doc, const struct json_node *closed)
{
	static const char *const known[] = {"a", "b", NULL};

	json_known_keys(doc, closed, known);
	(void)json_int64(doc, json_get(doc, closed, "a", JSON_NUMBER), 0);
	(void)json_string(doc, json_get(doc, closed, "b", JSON_STRING | JSON_NULL));
}

static void read_matrix(struct json_document *doc, const struct json_node *matrix)
{
	json_each(row, matrix) {
		json_each(number, row)
			(void)json_int64(doc, number, 0);
	}
}

static void read_root(struct json_document *doc, struct fields *fields)
{
	static const char *const words[] = {"first", "second", "third", NULL};
	const struct json_node *root = doc->root;

	fields->text = json_string(doc, json_get(doc, root, "text", JSON_STRING | JSON_NULL));
	fields->number = json_int64(doc, json_get(doc, root, "n", JSON_NUMBER), fields->number);
	fields->count = json_uint64(doc, json_get(doc, root, "u", JSON_NUMBER), fields->count);
	fields->flag = json_bool(doc, json_get(doc, root, "flag", JSON_BOOL), fields->flag);
	fields->word = json_word(doc, json_get(doc, root, "word", JSON_STRING), words);
	fields->list = json_strings(doc, json_get(doc, root, "list", JSON_ARRAY | JSON_NULL),
				    &fields->n_list);
	read_map(doc, json_get(doc, root, "map", JSON_OBJECT), fields);
	read_items(doc, json_get(doc, root, "items", JSON_ARRAY), fields);
	read_closed(doc, json_get(doc, root, "closed", JSON_OBJECT));
	read_matrix(doc, json_get(doc, root, "matrix", JSON_ARRAY));
}

int read_json(struct arena *arena, const char *json, size_t len, unsigned options,
	      struct fields *fields, struct err *err)
{
	char *exact = unit_exact(json, len);
	struct json_document doc;
	int status = json_parse(&doc, arena, "file.json", exact, len, options, err);

	if (status == 0)
		read_root(&doc, fields);
	free(exact);
	return doc.failed ? -1 : status;
}

int read_fields(struct arena *arena, const char *json, struct fields *fields, struct err *err)
{
	*fields = (struct fields){0};
	return read_json(arena, json, strlen(json), 0, fields, err);
}

int main(void)
{
	return unit_main("json document");
}
