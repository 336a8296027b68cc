/* SPDX-License-Identifier: Apache-2.0 */
#include "core/record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/base/trust.h"

#define SUFFIX ".json"

#define ALNUM "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

const char *const record_result_names[] = {
	[RECORD_NOTHING] = "nothing", [RECORD_GRANTED] = "granted", [RECORD_DENIED] = "denied",
	[RECORD_FAILED] = "failed",   [RECORD_MISSED] = "missed",   [RECORD_MENDED] = "mended",
	[RECORD_RESULTS] = NULL,
};

/* core/json/fields.c accesses enums as unsigned. */
_Static_assert(sizeof(enum record_result) == sizeof(unsigned), "an enum's size");

/* As in doc/json.md */
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

const char *record_text(struct arena *arena, struct record *record, size_t *ret_len,
			struct err *err)
{
	const char *reason = record->reason ? record->reason : "";
	char *line = arena_strndup(arena, reason, strnlen(reason, RECORD_REASON_MAX));
	const char *text = NULL;

	record->reason = line;
	if (line) {
		text_make_printable(line);
		text = json_fields_write(arena, fields, record, ret_len);
	}
	if (text && *ret_len > JSON_FIELDS_SIZE_MAX) {
		record->annotations.n = record->settings.n = 0;
		text = json_fields_write(arena, fields, record, ret_len);
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

/* Only the last part may contain '_'; what does not fit is unknown. */
static const char *name_part(const char *text, size_t max)
{
	size_t len = text ? strlen(text) : 0;

	return len && len <= max && strspn(text, ALNUM "-") == len ? text : "";
}

static bool is_container_id(const char *id)
{
	return id[0] && id[0] != '.' && id[strspn(id, ALNUM "_.-")] == '\0';
}

/* Namespace and container: RFC 1123 labels. A static pod's uid is a hash. */
bool record_name_make(const struct record *record, char name[RECORD_NAME_SIZE])
{
	int len = snprintf(name, RECORD_NAME_SIZE, "%s_%s_%s_%s_%010llx_%s" SUFFIX,
			   name_part(record->pod_namespace, 63), name_part(record->pod_uid, 36),
			   name_part(record->container, 63), record_result_names[record->result],
			   (unsigned long long)clock_ms(), record->id ? record->id : "");

	return record->id && is_container_id(record->id) && len < RECORD_NAME_SIZE;
}

int record_name_split(struct arena *arena, struct record_entry *entry)
{
	char *rest = arena_strdup(arena, entry->file);
	char *parts[5];
	char *end;

	if (!rest)
		return -1;
	if (!text_ends_with(rest, SUFFIX))
		return 0;
	rest[strlen(rest) - strlen(SUFFIX)] = '\0';
	for (size_t i = 0; i < 5; i++) {
		parts[i] = strsep(&rest, "_");
		if (!rest)
			return 0;
	}
	entry->pod_namespace = parts[0];
	entry->pod_uid = parts[1];
	entry->container = parts[2];
	entry->clock = strtoll(parts[4], &end, 16);
	entry->id = rest;
	for (size_t i = 0; record_result_names[i]; i++) {
		entry->result = (enum record_result)i;
		if (strcmp(record_result_names[i], parts[3]) == 0)
			return end != parts[4] && !*end && is_container_id(rest);
	}
	return 0;
}

int record_list(struct arena *arena, int dir, bool locked, struct record_entry **ret_entries)
{
	const char **names;
	int n = tree_list(arena, dir, ".", "", &names);
	struct record_entry *entries =
		n < 0 ? NULL : arena_alloc(arena, (size_t)n * sizeof(*entries));
	int kept = 0;

	if (!entries)
		return -1;
	for (int i = 0; i < n; i++) {
		int status;

		entries[kept].file = names[i];
		status = record_name_split(arena, &entries[kept]);
		if (status < 0)
			return -1;
		kept += status;
		if (status == 0 && locked)
			(void)unlinkat(dir, names[i], 0);
	}
	*ret_entries = entries;
	return kept;
}

int record_read(struct arena *arena, int sysroot, const char *id, struct record *ret_record,
		struct err *err)
{
	cleanup_fd dir = trust_open_dir(sysroot, RECORD_DIR, err);
	int status = 0;

	if (dir < 0)
		return dir == -ENOENT ? 0 : -1;
	/* Retry if replaced since the listing. */
	for (int tries = 0; tries < 10 && !status; tries++) {
		const struct record_entry *found = NULL;
		struct record_entry *entries;
		int n = record_list(arena, dir, false, &entries);

		if (n < 0)
			return err_memory(err);
		/* Both exist during a replacement: take the newer. */
		for (int i = 0; i < n; i++) {
			if (strcmp(entries[i].id, id) == 0 &&
			    (!found || entries[i].clock >= found->clock))
				found = &entries[i];
		}
		if (!found)
			return 0;
		status = record_load(arena, dir, found->file, ret_record, err);
	}
	return status;
}
