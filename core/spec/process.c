/* SPDX-License-Identifier: Apache-2.0 */
/* process: its environment, limits and capabilities, and where they stand */
#include "core/spec/reading.h"

#include "core/base/capability.h"

/* ---- env ---- */

static int take_env(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	return json_append_string(r->arena, value, &r->spec.env, &r->spec.n_env, &r->env_room, err);
}

static const struct json_shape env_item = {.types = JSON_STRING, .take = take_env};
static const struct json_shape env = {
	.types = JSON_ARRAY | JSON_NULL, SPAN(spec.places.env), .each = &env_item};

/* ---- rlimits ---- */

static int begin_rlimit(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)value;
	(void)err;
	r->rlimit = (struct spec_rlimit){0};
	r->odd_rlimit = false;
	return 0;
}

static int take_rlimit_type(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->rlimit.is_memlock = json_equals(value, "RLIMIT_MEMLOCK");
	return 0;
}

/* For another resource it does not matter. */
static int take_limit(struct spec_reading *r, const struct json_value *value, uint64_t *ret_limit)
{
	struct err ignored;

	if (json_uint64(value, ret_limit, &ignored) < 0)
		r->odd_rlimit = true;
	return 0;
}

static int take_soft(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	return take_limit(r, value, &r->rlimit.soft);
}

static int take_hard(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	return take_limit(r, value, &r->rlimit.hard);
}

static int leave_rlimit(void *context, struct err *err)
{
	struct spec_reading *r = context;
	struct spec_places *places = &r->spec.places;
	struct spec_rlimit *larger;

	if (!r->rlimit.is_memlock)
		return 0;
	if (r->odd_rlimit)
		return err_set(err, "RLIMIT_MEMLOCK: soft and hard must be numbers, 0 or more");
	r->spec.has_memlock = true;
	r->spec.memlock_soft = r->rlimit.soft;
	r->spec.memlock_hard = r->rlimit.hard;
	larger = arena_grow(r->arena, places->memlock, places->n_memlock, &r->memlock_room,
			    sizeof(*larger));
	if (!larger)
		return err_memory(err);
	places->memlock = larger;
	places->memlock[places->n_memlock++] = r->rlimit;
	return 0;
}

static const struct json_shape rlimit_type = {.types = JSON_STRING, .take = take_rlimit_type};
static const struct json_shape soft = {.types = JSON_NUMBER, .take = take_soft};
static const struct json_shape hard = {.types = JSON_NUMBER, .take = take_hard};
static const struct json_shape rlimit_item = {
	.types = JSON_OBJECT,
	SPAN(rlimit.span),
	.take = begin_rlimit,
	.leave = leave_rlimit,
	JSON_MEMBERS({"type", &rlimit_type}, {"soft", &soft}, {"hard", &hard}),
};
static const struct json_shape rlimits = {
	.types = JSON_ARRAY | JSON_NULL, SPAN(spec.places.rlimits), .each = &rlimit_item};

/* ---- capabilities ---- */

static int take_capability(struct spec_reading *r, const struct json_value *value,
			   enum spec_capability_set set, struct err *err)
{
	const char *name;
	int number;

	if (json_string(r->arena, value, &name, err) < 0)
		return -1;
	number = capability_number(name);
	/* One that is not known here is none that it could add: nothing to decide on. */
	if (number >= 0)
		r->spec.capabilities[set] |= UINT64_C(1) << number;
	return 0;
}

#define CAPABILITY_SET(name, set)                                                                  \
	static int take_##name(void *context, const struct json_value *value, struct err *err)     \
	{                                                                                          \
		return take_capability(context, value, set, err);                                  \
	}                                                                                          \
	static const struct json_shape name##_item = {.types = JSON_STRING, .take = take_##name};  \
	static const struct json_shape name = {                                                    \
		.types = JSON_ARRAY | JSON_NULL,                                                   \
		.store = JSON_STORE_SPAN,                                                          \
		.offset = offsetof(struct spec_reading, spec.places.sets[set]),                    \
		.each = &name##_item,                                                              \
	}

CAPABILITY_SET(bounding, SPEC_BOUNDING);
CAPABILITY_SET(effective, SPEC_EFFECTIVE);
CAPABILITY_SET(permitted, SPEC_PERMITTED);
CAPABILITY_SET(inheritable, SPEC_INHERITABLE);
CAPABILITY_SET(ambient, SPEC_AMBIENT);

static const struct json_shape capabilities = {
	.types = JSON_OBJECT | JSON_NULL,
	SPAN(spec.places.capabilities),
	JSON_MEMBERS({"bounding", &bounding}, {"effective", &effective}, {"permitted", &permitted},
		     {"inheritable", &inheritable}, {"ambient", &ambient}),
};

const struct json_shape spec_process_shape = {
	.types = JSON_OBJECT | JSON_NULL,
	SPAN(spec.places.process),
	JSON_MEMBERS({"env", &env}, {"rlimits", &rlimits}, {"capabilities", &capabilities}),
};
