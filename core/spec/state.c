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

static int take_stderr(void *context, const struct json_value *value, struct err *err)
{
	struct state *state = context;

	(void)value;
	(void)err;
	state->stderr_chosen = true;
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
static const struct json_shape hooks_stderr = {.types = ~0U, .take = take_stderr, .repeats = true};
static const struct json_shape annotations = {
	.types = JSON_OBJECT | JSON_NULL,
	JSON_MEMBERS({"io.kubernetes.cri-o.ContainerType", &container_type},
		     {"io.kubernetes.cri.container-type", &container_type},
		     {SPEC_ANNOTATION_PREFIX "inject", &inject},
		     {"run.oci.hooks.stderr", &hooks_stderr}),
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

int state_read(struct arena *arena, int fd, struct state *ret_state, struct err *err)
{
	struct state state = {0};
	struct fs_text text;

	if (fs_read(arena, fd, STATE_SIZE_MAX, WHAT, &text, err) < 0 ||
	    json_read(arena, &(struct json_source){WHAT, text.bytes, text.len, 0}, &root, &state,
		      err) < 0)
		return -1;
	if (!state.id || !state.id[0] || strchr(state.id, '/') || text_has_control(state.id))
		return err_set(err, WHAT ": the container id is missing or cannot be used");
	if (!state.bundle)
		return err_set(err, WHAT ": the bundle is missing");
	*ret_state = state;
	return 0;
}
