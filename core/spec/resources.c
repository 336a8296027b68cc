/* SPDX-License-Identifier: Apache-2.0 */
/* linux.resources: may it use every device of the host, and its memory limit */
#include "core/spec/reading.h"

/* ---- devices ---- */

static int begin_rule(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)value;
	(void)err;
	r->rule = (struct spec_rule){.any_type = true, .major = -1, .minor = -1};
	return 0;
}

static int take_rule_type(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->rule.any_type = spec_rule_any_type(value->text, value->len);
	return 0;
}

static int take_rule_access(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->rule.read_write = spec_rule_read_write(value->text, value->len);
	return 0;
}

static int leave_rule(void *context, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	spec_rule_apply(&r->rule, &r->spec.every_device);
	return 0;
}

STORE(rule_allow, JSON_BOOL, BOOL, rule.allow);
static const struct json_shape rule_type = {.types = JSON_STRING, .take = take_rule_type};
STORE(rule_major, JSON_NUMBER | JSON_NULL, INT64, rule.major);
STORE(rule_minor, JSON_NUMBER | JSON_NULL, INT64, rule.minor);
static const struct json_shape rule_access = {.types = JSON_STRING, .take = take_rule_access};
static const struct json_shape rule = {
	.types = JSON_OBJECT,
	.take = begin_rule,
	.leave = leave_rule,
	JSON_MEMBERS({"allow", &rule_allow}, {"type", &rule_type}, {"major", &rule_major},
		     {"minor", &rule_minor}, {"access", &rule_access}),
};
static const struct json_shape rules = {.types = JSON_ARRAY | JSON_NULL, .each = &rule};

/* ---- memory ---- */

static int take_memory_limit(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;
	int64_t limit;

	if (value->type == JSON_NULL)
		return 0;
	if (json_int64(value, &limit, err) < 0)
		return -1;
	r->memory_limit = limit > 0 ? (uint64_t)limit : 0;
	return 0;
}

/* Digits alone: what the kernel makes of all else is no limit, an error, or a limit of 0. */
static int take_memory_max(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;
	struct err ignored;

	(void)err;
	r->has_memory_max = true;
	if (!value->len || value->text[0] < '0' || value->text[0] > '9' ||
	    json_uint64(value, &r->memory_max, &ignored) < 0)
		r->memory_max = 0;
	return 0;
}

/*
 * Both runtimes write unified.memory.max last, over what memory.limit said (crun's
 * src/libcrun/cgroup-resources.c, runc's fs2/fs2.go); with cgroup v1 they refuse unified. A limit
 * of 0 is none for runc, and -1 for both.
 */
static int leave_resources(void *context, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->spec.memory_limit = r->has_memory_max ? r->memory_max : r->memory_limit;
	return 0;
}

static const struct json_shape memory_limit = {.types = JSON_NUMBER | JSON_NULL,
					       .take = take_memory_limit};
static const struct json_shape memory = {.types = JSON_OBJECT | JSON_NULL,
					 JSON_MEMBERS({"limit", &memory_limit})};
static const struct json_shape memory_max = {.types = JSON_STRING, .take = take_memory_max};
static const struct json_shape unified = {.types = JSON_OBJECT | JSON_NULL,
					  JSON_MEMBERS({"memory.max", &memory_max})};

const struct json_shape spec_resources_shape = {
	.types = JSON_OBJECT | JSON_NULL,
	.leave = leave_resources,
	JSON_MEMBERS({"devices", &rules}, {"memory", &memory}, {"unified", &unified}),
};
