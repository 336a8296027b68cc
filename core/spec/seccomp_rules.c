/* SPDX-License-Identifier: Apache-2.0 */
/* linux.seccomp: what the profile says of the system calls that matter here, and where it stands */
#include "core/spec/reading.h"

static int begin_seccomp(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->spec.seccomp.present = value->type == JSON_OBJECT;
	return 0;
}

static int take_default_action(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->spec.seccomp.default_refuses = seccomp_action_refuses(value->text, value->len);
	return 0;
}

static int begin_seccomp_rule(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)value;
	(void)err;
	r->seccomp_rule.calls = 0;
	r->seccomp_rule.refuses = true;
	return 0;
}

static int take_seccomp_name(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->seccomp_rule.calls |= seccomp_bit(value->text, value->len);
	return 0;
}

static int take_seccomp_action(void *context, const struct json_value *value, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	r->seccomp_rule.refuses = seccomp_action_refuses(value->text, value->len);
	return 0;
}

static int leave_seccomp_rule(void *context, struct err *err)
{
	struct spec_reading *r = context;

	(void)err;
	if (r->seccomp_rule.refuses)
		r->spec.seccomp.refused |= r->seccomp_rule.calls;
	else
		r->spec.seccomp.allowed |= r->seccomp_rule.calls;
	return 0;
}

static const struct json_shape default_action = {.types = JSON_STRING, .take = take_default_action};
static const struct json_shape seccomp_name_item = {.types = JSON_STRING,
						    .take = take_seccomp_name};
static const struct json_shape seccomp_names = {.types = JSON_ARRAY | JSON_NULL,
						.each = &seccomp_name_item};
static const struct json_shape seccomp_action = {.types = JSON_STRING, .take = take_seccomp_action};
static const struct json_shape seccomp_rule = {
	.types = JSON_OBJECT,
	.take = begin_seccomp_rule,
	.leave = leave_seccomp_rule,
	JSON_MEMBERS({"names", &seccomp_names}, {"action", &seccomp_action}),
};
static const struct json_shape syscalls = {
	.types = JSON_ARRAY | JSON_NULL, SPAN(spec.places.syscalls), .each = &seccomp_rule};
const struct json_shape spec_seccomp_shape = {
	.types = JSON_OBJECT | JSON_NULL,
	SPAN(spec.places.seccomp),
	.take = begin_seccomp,
	JSON_MEMBERS({"defaultAction", &default_action}, {"syscalls", &syscalls}),
};
