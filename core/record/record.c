/* SPDX-License-Identifier: Apache-2.0 */
#include "core/record/record.h"

#include <string.h>
#include <time.h>

#include "core/base/text.h"
#include "core/json/document.h"
#include "core/json/writer.h"

const char *const record_result_names[] = {
	[RECORD_NOTHING] = "nothing", [RECORD_GRANTED] = "granted", [RECORD_DENIED] = "denied",
	[RECORD_FAILED] = "failed",   [RECORD_MISSED] = "missed",   [RECORD_MENDED] = "mended",
	[RECORD_MENDED + 1] = NULL,
};

void record_time(int64_t seconds, char text[RECORD_TIME_SIZE])
{
	time_t time = (time_t)seconds;
	struct tm utc;

	if (!gmtime_r(&time, &utc) || !strftime(text, RECORD_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc))
		text[0] = '\0';
}

/* ---- the format ---- */

enum field_type { FIELD_TEXT, FIELD_RESULT, FIELD_MEMLOCK, FIELD_BOOL, FIELD_TIME, FIELD_PAIRS };

/* Writes and reads; doc/json.md has the same rows. */
static const struct field {
	const char *name;
	enum field_type type;
	size_t offset;
} fields[] = {
#define FIELD(name, type, member)                                                                  \
	{                                                                                          \
		name, FIELD_##type, offsetof(struct record, member)                                \
	}
	FIELD("id", TEXT, id),
	FIELD("container", TEXT, container),
	FIELD("pod", TEXT, pod),
	FIELD("namespace", TEXT, pod_namespace),
	FIELD("pod_uid", TEXT, pod_uid),
	FIELD("engine", TEXT, engine),
	FIELD("result", RESULT, result),
	FIELD("entry_point", TEXT, entry_point),
	FIELD("policy", TEXT, policy),
	FIELD("reason", TEXT, reason),
	FIELD("devices", TEXT, devices),
	FIELD("memlock", MEMLOCK, memlock),
	FIELD("tell", BOOL, tell),
	FIELD("time", TIME, time),
	FIELD("annotations", PAIRS, annotations),
	FIELD("env", PAIRS, settings),
#undef FIELD
};

#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))

static void put_pairs(yajl_gen gen, const struct record_pairs *pairs)
{
	(void)yajl_gen_map_open(gen);
	for (size_t i = 0; i < pairs->n; i++)
		json_put_text(gen, pairs->item[i].name, pairs->item[i].value);
	(void)yajl_gen_map_close(gen);
}

static void put_field(yajl_gen gen, const struct field *field, const void *value)
{
	switch (field->type) {
	case FIELD_TEXT:
		json_put_member(gen, field->name, *(const char *const *)value);
		break;
	case FIELD_RESULT:
		json_put_text(gen, field->name,
			      record_result_names[*(const enum record_result *)value]);
		break;
	case FIELD_MEMLOCK:
		json_put_uint64(gen, field->name, *(const uint64_t *)value);
		break;
	case FIELD_TIME:
		json_put_integer(gen, field->name, true, *(const int64_t *)value);
		break;
	case FIELD_BOOL:
		json_put_string(gen, field->name);
		(void)yajl_gen_bool(gen, *(const bool *)value);
		break;
	case FIELD_PAIRS:
		json_put_string(gen, field->name);
		put_pairs(gen, value);
		break;
	}
}

static int put_record(yajl_gen gen, void *context)
{
	(void)yajl_gen_map_open(gen);
	json_put_integer(gen, "schema", true, 1);
	for (size_t i = 0; i < N_FIELDS; i++)
		put_field(gen, &fields[i], (const char *)context + fields[i].offset);
	(void)yajl_gen_map_close(gen);
	return 0;
}

const char *record_text(struct arena *arena, const struct record *record, size_t *ret_len,
			struct err *err)
{
	struct record copy = *record;
	const char *reason = record->reason ? record->reason : "";
	char *line = arena_strndup(arena, reason, strnlen(reason, RECORD_REASON_MAX));
	const char *text;

	if (line)
		text_make_printable(line);
	copy.reason = line;
	text = line ? json_write(arena, true, put_record, &copy, ret_len) : NULL;
	if (text && *ret_len > RECORD_SIZE_MAX) {
		copy.annotations.n = 0;
		copy.settings.n = 0;
		text = json_write(arena, true, put_record, &copy, ret_len);
	}
	if (!text) {
		(void)err_memory(err);
		return NULL;
	}
	if (*ret_len <= RECORD_SIZE_MAX)
		return text;
	(void)err_set(err, "the record of container '%.80s' would be longer than %d bytes",
		      record->id, RECORD_SIZE_MAX);
	return NULL;
}

static void read_pairs(struct json_document *doc, const struct json_node *node,
		       struct record_pairs *pairs)
{
	pairs->item = json_items(doc, node, sizeof(*pairs->item));
	if (!pairs->item)
		return;
	json_each(member, node)
		pairs->item[pairs->n++] =
			(struct record_pair){json_key(doc, member), json_string(doc, member)};
}

static void read_field(struct json_document *doc, const struct field *field, void *value)
{
	static const unsigned types[] = {
		[FIELD_TEXT] = JSON_STRING | JSON_NULL,
		[FIELD_RESULT] = JSON_STRING,
		[FIELD_MEMLOCK] = JSON_NUMBER,
		[FIELD_TIME] = JSON_NUMBER,
		[FIELD_BOOL] = JSON_BOOL,
		[FIELD_PAIRS] = JSON_OBJECT,
	};
	const struct json_node *node = json_get(doc, doc->root, field->name, types[field->type]);

	switch (field->type) {
	case FIELD_TEXT:
		*(const char **)value = json_string(doc, node);
		break;
	case FIELD_RESULT:
		*(enum record_result *)value = (enum record_result)json_word(
			doc, node, record_result_names, RECORD_NOTHING);
		break;
	case FIELD_MEMLOCK:
		*(uint64_t *)value = json_uint64(doc, node, 0);
		break;
	case FIELD_TIME:
		*(int64_t *)value = json_int64(doc, node, 0);
		break;
	case FIELD_BOOL:
		*(bool *)value = json_bool(doc, node, false);
		break;
	case FIELD_PAIRS:
		if (node)
			read_pairs(doc, node, value);
		break;
	}
}

int record_parse(struct arena *arena, const char *what, const struct fs_text *text,
		 struct record *ret_record, struct err *err)
{
	struct record record = {0};
	struct json_document doc;

	if (json_parse(&doc, arena, what, text->bytes, text->len, 0, err) < 0)
		return -1;
	for (size_t i = 0; i < N_FIELDS; i++)
		read_field(&doc, &fields[i], (char *)&record + fields[i].offset);
	if (doc.failed)
		return -1;
	if (!record.id || !record.reason || !record.entry_point)
		return err_set(err, "%s: a record has an id, a reason and an entry point", what);
	*ret_record = record;
	return 0;
}
