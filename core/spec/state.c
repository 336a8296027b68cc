/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/json/reader.h"
#include "core/spec/spec.h"

#define WHAT "state JSON on stdin"

static int take_container_type(void *context, const struct json_value *value, struct err *err)
{
	struct state *state = context;

	(void)err;
	state->sandbox |= json_equals(value, "sandbox");
	return 0;
}

static int take_inject(void *context, const struct json_value *value, struct err *err)
{
	struct state *state = context;

	(void)err;
	state->asks = json_equals(value, "true");
	return 0;
}

static int take_pid(void *context, const struct json_value *value, struct err *err)
{
	struct state *state = context;

	if (value->type != JSON_NUMBER || json_int64(value, &state->pid, err) < 0)
		state->pid = 0;
	return 0;
}

static const struct json_shape container_type = {.types = ~0U, .take = take_container_type};
static const struct json_shape inject = {.types = ~0U, .take = take_inject, .repeats = true};
static const struct json_shape annotations = {
	.types = JSON_OBJECT | JSON_NULL,
	JSON_MEMBERS({"io.kubernetes.cri-o.ContainerType", &container_type},
		     {"io.kubernetes.cri.container-type", &container_type},
		     {SPEC_ANNOTATION_PREFIX "inject", &inject}),
};
static const struct json_shape id = {.types = JSON_STRING, JSON_FIELD(STRING, struct state, id)};
static const struct json_shape bundle = {.types = JSON_STRING,
					 JSON_FIELD(STRING, struct state, bundle)};
static const struct json_shape status = {.types = JSON_STRING,
					 JSON_FIELD(STRING, struct state, status)};
static const struct json_shape pid = {.types = ~0U, .take = take_pid};
static const struct json_shape root = {
	.types = JSON_OBJECT,
	JSON_MEMBERS({"id", &id}, {"bundle", &bundle}, {"status", &status}, {"pid", &pid},
		     {"annotations", &annotations}),
};

/* The key as crun writes it: its JSON has no escapes for letters and dots. */
static bool names_stderr(const struct fs_text *text)
{
	static const char key[] = "run.oci.hooks.stderr";

	return memmem(text->bytes, text->len, key, sizeof(key) - 1) != NULL;
}

static int parse(struct arena *arena, const struct fs_text *text, struct state *state,
		 struct err *err)
{
	if (json_read(arena, &(struct json_source){WHAT, text->bytes, text->len, 0}, &root, state,
		      err) < 0)
		return -1;
	if (!state->id || !state->id[0] || strchr(state->id, '/') || text_has_control(state->id))
		return err_set(err, WHAT ": the container id is missing or cannot be used");
	if (!state->bundle)
		return err_set(err, WHAT ": the bundle is missing");
	return 0;
}

int state_read(struct arena *arena, int fd, struct state *ret_state, struct err *err)
{
	/* What cannot be read whole may name it. */
	struct state state = {.stderr_chosen = true};
	struct fs_text text;
	int result = fs_read(arena, fd, STATE_SIZE_MAX, WHAT, &text, err);

	if (result == 0) {
		state.stderr_chosen = names_stderr(&text);
		result = parse(arena, &text, &state, err);
	}
	if (result == 0)
		*ret_state = state;
	else
		ret_state->stderr_chosen = state.stderr_chosen;
	return result;
}
