/* SPDX-License-Identifier: Apache-2.0 */
#include "core/note/note.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/base/cleanup.h"
#include "core/base/text.h"
#include "core/json/reader.h"
#include "core/json/writer.h"

static const struct shelf refusals = {REFUSAL_DIR, REFUSAL_SIZE_MAX, REFUSALS_MAX};

/* ---- written ---- */

static int put_refusal(yajl_gen gen, void *context)
{
	const struct refusal *refusal = context;

	(void)yajl_gen_map_open(gen);
	json_put_integer(gen, "schema", true, 1);
	json_put_member(gen, "id", refusal->id);
	json_put_member(gen, "container", refusal->container);
	json_put_member(gen, "pod", refusal->pod);
	json_put_member(gen, "namespace", refusal->pod_namespace);
	json_put_member(gen, "uid", refusal->pod_uid);
	json_put_member(gen, "result", note_result_name(refusal->result));
	json_put_member(gen, "reason", refusal->reason);
	json_put_member(gen, "entry_point", refusal->entry_point);
	json_put_integer(gen, "time", true, refusal->time);
	(void)yajl_gen_map_close(gen);
	return 0;
}

int refusal_leave(const char *sysroot, const struct refusal *refusal, struct err *err)
{
	static char reason[REFUSAL_REASON_MAX + 1]; /* a caller's stack may be small */
	cleanup_arena arena = {0};
	struct refusal copy = *refusal;
	char name[SHELF_NAME_SIZE];
	const char *text;
	size_t len;
	int status;

	/* No engine of pods makes an id that is no file's name. */
	if (!copy.pod || !copy.pod_namespace || !copy.id ||
	    shelf_name(copy.id, note_result_name(copy.result), name) < 0)
		return 0;
	(void)snprintf(reason, sizeof(reason), "%s", copy.reason ? copy.reason : "");
	text_make_printable(reason);
	copy.reason = reason;
	copy.time = time(NULL);
	text = json_write(&arena, true, put_refusal, &copy, &len);
	if (!text)
		return err_memory(err);
	status = shelf_write(&refusals, sysroot, name, text, len, err);
	/* A recorded tree without a /run is no node: no reporter will read there. */
	return status == -ENOENT ? 0 : status;
}

/* ---- read ---- */

struct reading {
	struct arena *arena;
	struct refusal refusal;
};

static int on_result(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;
	unsigned word;

	if (json_word(value, note_result_names, NULL, &word, err) < 0)
		return -1;
	r->refusal.result = (enum note_result)word;
	return 0;
}

#define TEXT(name, field)                                                                          \
	static const struct json_shape name = {.types = JSON_STRING | JSON_NULL,                   \
					       JSON_FIELD(STRING, struct reading, refusal.field)}

TEXT(container_id, id);
TEXT(container_name, container);
TEXT(pod, pod);
TEXT(pod_namespace, pod_namespace);
TEXT(pod_uid, pod_uid);
TEXT(reason, reason);
TEXT(entry_point, entry_point);
static const struct json_shape when = {.types = JSON_NUMBER,
				       JSON_FIELD(INT64, struct reading, refusal.time)};
static const struct json_shape result = {.types = JSON_STRING, .take = on_result};
static const struct json_shape refusal_shape = {
	.types = JSON_OBJECT,
	JSON_MEMBERS({"id", &container_id}, {"container", &container_name}, {"pod", &pod},
		     {"namespace", &pod_namespace}, {"uid", &pod_uid}, {"result", &result},
		     {"reason", &reason}, {"entry_point", &entry_point}, {"time", &when}),
};

int refusal_open(int sysroot, struct err *err)
{
	return shelf_open(&refusals, sysroot, err);
}

int refusal_read(struct arena *arena, int dir, const char *name, struct refusal *ret_refusal,
		 struct err *err)
{
	struct reading reading = {.arena = arena};
	struct fs_text text;
	const char *what;
	int found = shelf_read(arena, &refusals, dir, name, &what, &text, err);

	if (found <= 0)
		return found;
	if (json_read(arena, &(struct json_source){what, text.bytes, text.len, 0}, &refusal_shape,
		      &reading, err) < 0)
		return -1;
	if (!reading.refusal.id || !reading.refusal.pod || !reading.refusal.pod_namespace ||
	    !reading.refusal.reason)
		return err_set(err, "%s: a record has an id, a pod, a namespace and a reason",
			       what);
	*ret_refusal = reading.refusal;
	return 1;
}
