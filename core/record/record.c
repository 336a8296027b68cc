/* SPDX-License-Identifier: Apache-2.0 */
#include "core/record/record.h"

#include <string.h>

#include "core/base/text.h"

const char *const record_result_names[] = {
	[RECORD_NOTHING] = "nothing", [RECORD_GRANTED] = "granted", [RECORD_DENIED] = "denied",
	[RECORD_FAILED] = "failed",   [RECORD_MISSED] = "missed",   [RECORD_MENDED] = "mended",
	[RECORD_RESULTS] = NULL,
};

/* doc/json.md has the same rows. */
static const struct json_field fields[] = {
#define FIELD(name, type, member)                                                                  \
	{                                                                                          \
		name, JSON_##type, offsetof(struct record, member), record_result_names            \
	}
	FIELD("id", TEXT, id),
	FIELD("container", TEXT, container),
	FIELD("pod", TEXT, pod),
	FIELD("namespace", TEXT, pod_namespace),
	FIELD("pod_uid", TEXT, pod_uid),
	FIELD("engine", TEXT, engine),
	FIELD("cgroup", TEXT, cgroup),
	FIELD("result", WORD, result),
	FIELD("entry_point", TEXT, entry_point),
	FIELD("policy", TEXT, policy),
	FIELD("reason", TEXT, reason),
	FIELD("devices", TEXT, devices),
	FIELD("memlock", UINT64, memlock),
	FIELD("tell", FLAG, tell),
	FIELD("time", INT64, time),
	FIELD("annotations", PAIRS, annotations),
	FIELD("env", PAIRS, settings),
#undef FIELD
	{0},
};

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
	text = line ? json_fields_write(arena, fields, &copy, ret_len) : NULL;
	if (text && *ret_len > RECORD_SIZE_MAX) {
		copy.annotations.n = 0;
		copy.settings.n = 0;
		text = json_fields_write(arena, fields, &copy, ret_len);
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

int record_parse(struct arena *arena, const char *what, const struct fs_text *text,
		 struct record *ret_record, struct err *err)
{
	struct record record = {0};

	if (json_fields_read(arena, fields, what, text, &record, err) < 0)
		return -1;
	if (!record.id || !record.reason || !record.entry_point)
		return err_set(err, "%s: not a record: it lacks an id, a reason or an entry point",
			       what);
	*ret_record = record;
	return 0;
}
