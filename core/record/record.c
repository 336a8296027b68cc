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
	JSON_FIELD(struct record, id, "id", JSON_STRING),
	JSON_FIELD(struct record, container, "container", JSON_STRING),
	JSON_FIELD(struct record, pod, "pod", JSON_STRING),
	JSON_FIELD(struct record, pod_namespace, "namespace", JSON_STRING),
	JSON_FIELD(struct record, pod_uid, "pod_uid", JSON_STRING),
	JSON_FIELD(struct record, engine, "engine", JSON_STRING),
	JSON_FIELD(struct record, cgroup, "cgroup", JSON_STRING),
	JSON_FIELD(struct record, result, "result", JSON_STRING, .words = record_result_names),
	JSON_FIELD(struct record, entry_point, "entry_point", JSON_STRING),
	JSON_FIELD(struct record, policy, "policy", JSON_STRING),
	JSON_FIELD(struct record, reason, "reason", JSON_STRING),
	JSON_FIELD(struct record, devices, "devices", JSON_STRING),
	JSON_FIELD(struct record, memlock, "memlock", JSON_NUMBER),
	JSON_FIELD(struct record, tell, "tell", JSON_BOOL),
	JSON_FIELD(struct record, time, "time", JSON_NUMBER),
	JSON_FIELD(struct record, annotations, "annotations", JSON_OBJECT),
	JSON_FIELD(struct record, settings, "env", JSON_OBJECT),
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
	if (text && *ret_len > JSON_FIELDS_SIZE_MAX) {
		copy.annotations.n = 0;
		copy.settings.n = 0;
		text = json_fields_write(arena, fields, &copy, ret_len);
	}
	if (text && *ret_len <= JSON_FIELDS_SIZE_MAX)
		return text;
	(void)(text ? err_set(err, "the record of container '%.80s' would be longer than %d bytes",
			      record->id, JSON_FIELDS_SIZE_MAX)
		    : err_memory(err));
	return NULL;
}

int record_load(struct arena *arena, int dir, const char *file, struct record *ret_record,
		struct err *err)
{
	struct record record = {0};
	int status = json_fields_read(arena, fields, dir, RECORD_DIR, file, &record, err);

	if (status <= 0)
		return status;
	if (!record.id || !record.reason || !record.entry_point)
		return err_set(err,
			       "/%s/%s: not a record: it lacks an id, a reason or an entry point",
			       RECORD_DIR, file);
	*ret_record = record;
	return 1;
}
