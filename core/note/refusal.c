/* SPDX-License-Identifier: Apache-2.0 */
#include "core/note/note.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/base/cleanup.h"
#include "core/base/text.h"
#include "core/json/document.h"
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

static const char *get_text(struct json_document *doc, const char *key)
{
	return json_string(doc, json_get(doc, doc->root, key, JSON_STRING | JSON_NULL));
}

static struct refusal read_refusal(struct json_document *doc)
{
	return (struct refusal){
		.id = get_text(doc, "id"),
		.container = get_text(doc, "container"),
		.pod = get_text(doc, "pod"),
		.pod_namespace = get_text(doc, "namespace"),
		.pod_uid = get_text(doc, "uid"),
		.result = (enum note_result)json_word(
			doc, json_get(doc, doc->root, "result", JSON_STRING), note_result_names, 0),
		.reason = get_text(doc, "reason"),
		.entry_point = get_text(doc, "entry_point"),
		.time = json_int64(doc, json_get(doc, doc->root, "time", JSON_NUMBER), 0),
	};
}

int refusal_open(int sysroot, struct err *err)
{
	return shelf_open(&refusals, sysroot, err);
}

int refusal_read(struct arena *arena, int dir, const char *name, struct refusal *ret_refusal,
		 struct err *err)
{
	struct json_document doc;
	struct refusal refusal;
	struct fs_text text;
	const char *what;
	int found = shelf_read(arena, &refusals, dir, name, &what, &text, err);

	if (found <= 0)
		return found;
	if (json_parse(&doc, arena, what, text.bytes, text.len, 0, err) < 0)
		return -1;
	refusal = read_refusal(&doc);
	if (doc.failed)
		return -1;
	if (!refusal.id || !refusal.pod || !refusal.pod_namespace || !refusal.reason)
		return err_set(err, "%s: a record has an id, a pod, a namespace and a reason",
			       what);
	*ret_refusal = refusal;
	return 1;
}
