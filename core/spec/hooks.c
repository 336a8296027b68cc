/* SPDX-License-Identifier: Apache-2.0 */
/* hooks: whether one of ours says that choosing a device is asking (SPEC_ASK) */
#include "core/spec/reading.h"

#include <string.h>

#include "core/base/names.h"

static int begin_hook(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)value;
	(void)err;
	r->hook.ours = false;
	r->hook.asks = false;
	return 0;
}

static int take_hook_path(void *context, const struct json_value *value, struct err *err)
{
	static const char name[] = "/" HOOK_NAME;
	struct spec_reading *r = context;
	size_t len = sizeof(name) - 1;

	(void)err;
	r->hook.ours = value->type == JSON_STRING && value->len >= len &&
		       memcmp(value->text + value->len - len, name, len) == 0;
	return 0;
}

static int take_hook_arg(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->hook.asks |= json_equals(value, SPEC_ASK);
	return 0;
}

static int leave_hook(void *context, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->spec.asked |= r->hook.ours && r->hook.asks;
	return 0;
}

/* Most are others': whatever they look like, it is the runtime's to say. */
static const struct json_shape hook_path = {.types = ~0U, .take = take_hook_path};
static const struct json_shape hook_arg = {.types = ~0U, .take = take_hook_arg};
static const struct json_shape hook_args = {.types = ~0U, .each = &hook_arg, .repeats = true};
static const struct json_shape hook = {
	.types = ~0U,
	.take = begin_hook,
	.leave = leave_hook,
	JSON_MEMBERS({"path", &hook_path}, {"args", &hook_args}),
};
static const struct json_shape stage = {.types = ~0U, .each = &hook, .repeats = true};
const struct json_shape spec_hooks_shape = {
	.types = ~0U,
	.repeats = true,
	JSON_MEMBERS({"createRuntime", &stage}, {"prestart", &stage}),
};
