/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/bundle/state_file.h"

#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/json/reader.h"

/* runc's state.json holds the whole spec again. */
#define STATE_MAX (16 * 1024 * 1024)

struct reading {
	struct arena *arena;
	struct state_file file;
};

static int take_label(void *context, const struct json_value *value, struct err *err)
{
	struct reading *reading = context;
	const char *label;

	/* libcontainer keeps the bundle among its labels (libcontainer/utils, "bundle=PATH"). */
	if (value->type != JSON_STRING)
		return 0;
	if (json_string(reading->arena, value, &label, err) < 0)
		return -1;
	if (text_starts_with(label, "bundle="))
		reading->file.bundle = label + strlen("bundle=");
	return 0;
}

static const struct json_shape pid = {.types = JSON_NUMBER,
				      JSON_FIELD(INT64, struct reading, file.pid)};
/* What crun (src/libcrun/status.c) and runc (libcontainer/container.go) themselves tell a pid that
 * was given to another process by. */
static const struct json_shape start = {.types = JSON_NUMBER,
					JSON_FIELD(UINT64, struct reading, file.start)};
static const struct json_shape bundle = {.types = JSON_STRING,
					 JSON_FIELD(STRING, struct reading, file.bundle)};
static const struct json_shape label = {.types = ~0U, .take = take_label};
static const struct json_shape labels = {.types = JSON_ARRAY | JSON_NULL, .each = &label};
static const struct json_shape runc_config = {.types = JSON_OBJECT,
					      JSON_MEMBERS({"labels", &labels})};
static const struct json_shape crun_status = {
	.types = JSON_OBJECT,
	JSON_MEMBERS({"pid", &pid}, {"process-start-time", &start}, {"bundle", &bundle})};
static const struct json_shape runc_state = {.types = JSON_OBJECT,
					     JSON_MEMBERS({"init_process_pid", &pid},
							  {"init_process_start", &start},
							  {"config", &runc_config})};

int state_file_read(struct arena *arena, int root, const char *path, struct state_file *ret_file,
		    struct err *err)
{
	bool crun = strcmp(text_base_name(path), STATE_FILE_CRUN) == 0;
	struct reading reading = {.arena = arena};
	struct fs_text text;
	int status = tree_read(arena, root, path, STATE_MAX, &text);

	if (status < 0)
		return err_sys(err, -status, "%s", path);
	if (json_read(arena, &(struct json_source){path, text.bytes, text.len, 0},
		      crun ? &crun_status : &runc_state, &reading, err) < 0)
		return -1;
	*ret_file = reading.file;
	return 0;
}
