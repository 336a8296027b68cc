/* SPDX-License-Identifier: Apache-2.0 */
#include "core/json/fields.h"

#include <errno.h>

#include "core/base/fs.h"
#include "core/base/trust.h"
#include "core/json/writer.h"

struct written {
	const struct json_field *fields;
	const char *object;
};

static void put_field(yajl_gen gen, const struct json_field *field, const void *value)
{
	const struct json_pairs *pairs = value;

	if (field->words) {
		json_put_text(gen, field->name, field->words[*(const unsigned *)value]);
	} else if (field->type == JSON_STRING) {
		json_put_member(gen, field->name, *(const char *const *)value);
	} else if (field->type == JSON_NUMBER) {
		json_put_uint64(gen, field->name, *(const uint64_t *)value);
	} else if (field->type == JSON_BOOL) {
		json_put_string(gen, field->name);
		yajl_gen_bool(gen, *(const bool *)value);
	} else {
		json_put_string(gen, field->name);
		yajl_gen_map_open(gen);
		for (size_t i = 0; i < pairs->n; i++)
			json_put_text(gen, pairs->item[i].name, pairs->item[i].value);
		yajl_gen_map_close(gen);
	}
}

static int put_fields(yajl_gen gen, void *context)
{
	const struct written *written = context;

	yajl_gen_map_open(gen);
	json_put_uint64(gen, "schema", 1);
	for (const struct json_field *field = written->fields; field->name; field++)
		put_field(gen, field, written->object + field->offset);
	yajl_gen_map_close(gen);
	return 0;
}

const char *json_fields_write(struct arena *arena, const struct json_field *fields,
			      const void *object, size_t *ret_len)
{
	struct written written = {fields, object};

	return json_write(arena, true, put_fields, &written, ret_len);
}

static void read_field(struct json_document *doc, const struct json_field *field, void *value)
{
	const struct json_node *node =
		json_get(doc, doc->root, field->name, field->type | JSON_NULL);
	struct json_pairs *pairs = value;

	if (field->words) {
		*(unsigned *)value = json_word(doc, node, field->words);
	} else if (field->type == JSON_STRING) {
		*(const char **)value = json_string(doc, node);
	} else if (field->type == JSON_NUMBER) {
		*(uint64_t *)value = json_uint64(doc, node, 0);
	} else if (field->type == JSON_BOOL) {
		*(bool *)value = json_bool(doc, node, false);
	} else {
		pairs->item = json_items(doc, node, sizeof(*pairs->item));
		json_each(member, pairs->item ? node : NULL)
			pairs->item[pairs->n++] =
				(struct json_pair){json_key(doc, member), json_string(doc, member)};
	}
}

int json_fields_read(struct arena *arena, const struct json_field *fields, int dir,
		     const char *where, const char *name, void *ret_object, struct err *err)
{
	cleanup_fd fd = fs_open_regular(dir, name);
	const char *what = arena_printf(arena, "/%s/%s", where, name);
	struct json_document doc;
	struct fs_text text;

	if (fd == -ENOENT)
		return 0;
	if (!what)
		return err_memory(err);
	if (fd < 0)
		return err_sys(err, -fd, "%s", what);
	if (!trust_is_roots_alone(fd))
		return err_set(err, "%s: users other than root can write it, so it is not trusted",
			       what);
	if (fs_read(arena, fd, JSON_FIELDS_SIZE_MAX, what, &text, err) < 0 ||
	    json_parse(&doc, arena, what, text.bytes, text.len, 0, err) < 0)
		return -1;
	for (const struct json_field *field = fields; field->name; field++)
		read_field(&doc, field, (char *)ret_object + field->offset);
	return doc.failed ? -1 : 1;
}
