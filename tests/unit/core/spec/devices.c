/* SPDX-License-Identifier: Apache-2.0 */
/* linux.devices, and rules that allow every device */
#include "suite.h"

static const struct number_case {
	const char *name;
	bool character;
	int64_t major;
	bool may_count;
} number_cases[] = {
	{"verbs'", true, 231, true},
	{"a block device's", false, 231, false},
	{"below", true, 230, false},
	{"behind", true, 232, false},
	{"below the first dynamic ones", true, 233, false},
	{"the first of them", true, 234, true},
	{"the last of them", true, 254, true},
	{"behind them", true, 255, false},
	{"below the second dynamic ones", true, 383, false},
	{"the first of those", true, 384, true},
	{"the last of those", true, 511, true},
	{"behind those", true, 512, false},
};

UNIT_ROWS_AS("a major number may count: ", number_cases)
{
	const struct spec_device device = {.character = row->character, .major = row->major};

	assert_int_equal(spec_device_may_count(&device), row->may_count);
}

#define DENY_ALL "{\"allow\":false,\"access\":\"rwm\"}"
#define ALLOW_ALL "{\"allow\":true,\"access\":\"rwm\"}"
#define ONE(allow)                                                                                 \
	"{\"allow\":" allow ",\"type\":\"c\",\"major\":231,\"minor\":198,\"access\":\"rwm\"}"

static const struct rule_case {
	const char *name;
	const char *rules;
	bool every_device;
} rule_cases[] = {
	{"rules: none", "", false},
	{"rules: deny all", DENY_ALL, false},
	{"rules: deny all, then one device", DENY_ALL "," ONE("true"), false},
	{"rules: deny all, then allow all", DENY_ALL "," ALLOW_ALL, true},
	{"rules: allow all alone", ALLOW_ALL, true},
	{"rules: allow all, then deny all", ALLOW_ALL "," DENY_ALL, false},
	{"rules: the last of several that say all",
	 DENY_ALL "," ALLOW_ALL "," DENY_ALL "," ALLOW_ALL, true},
	{"rules: a single denial behind does not undo it", ALLOW_ALL "," ONE("false"), true},
	{"rules: a single one between does not undo it", ALLOW_ALL "," ONE("true") "," ONE("false"),
	 true},
	{"rules: type a", "{\"allow\":true,\"type\":\"a\",\"access\":\"rwm\"}", true},
	{"rules: type c, every character device",
	 "{\"allow\":true,\"type\":\"c\",\"access\":\"rwm\"}", true},
	{"rules: type empty", "{\"allow\":true,\"type\":\"\",\"access\":\"rwm\"}", true},
	{"rules: type b", "{\"allow\":true,\"type\":\"b\",\"access\":\"rwm\"}", false},
	{"rules: type p", "{\"allow\":true,\"type\":\"p\",\"access\":\"rwm\"}", false},
	{"rules: deny b behind allow all",
	 ALLOW_ALL ",{\"allow\":false,\"type\":\"b\",\"access\":\"rwm\"}", true},
	{"rules: deny c behind allow all",
	 ALLOW_ALL ",{\"allow\":false,\"type\":\"c\",\"access\":\"rwm\"}", false},
	{"rules: -1 is any number",
	 "{\"allow\":true,\"type\":\"a\",\"major\":-1,\"minor\":-1,\"access\":\"rwm\"}", true},
	{"rules: null is any number",
	 "{\"allow\":true,\"type\":\"a\",\"major\":null,\"minor\":null,\"access\":\"rwm\"}", true},
	{"rules: one major number",
	 "{\"allow\":true,\"type\":\"c\",\"major\":231,\"access\":\"rwm\"}", false},
	{"rules: major 0 is a number",
	 "{\"allow\":true,\"type\":\"c\",\"major\":0,\"access\":\"rwm\"}", false},
	{"rules: one minor number",
	 "{\"allow\":true,\"type\":\"c\",\"minor\":0,\"access\":\"rwm\"}", false},
	{"rules: rw without m", "{\"allow\":true,\"access\":\"rw\"}", true},
	{"rules: access in another order", "{\"allow\":true,\"access\":\"mwr\"}", true},
	{"rules: m alone, as everyone has it", "{\"allow\":true,\"type\":\"c\",\"access\":\"m\"}",
	 false},
	{"rules: r alone", "{\"allow\":true,\"access\":\"rm\"}", false},
	{"rules: w alone", "{\"allow\":true,\"access\":\"wm\"}", false},
	{"rules: no access", "{\"allow\":true}", false},
	{"rules: empty access", "{\"allow\":true,\"access\":\"\"}", false},
	{"rules: deny m behind allow all", ALLOW_ALL ",{\"allow\":false,\"access\":\"m\"}", true},
	{"rules: no allow is a denial", "{\"access\":\"rwm\"}", false},
	{"rules: members in another order",
	 "{\"access\":\"rwm\",\"minor\":-1,\"type\":\"a\",\"allow\":true}", true},
	{"rules: unknown members", "{\"x\":1,\"allow\":true,\"access\":\"rwm\",\"y\":[]}", true},
	{"rules: one rule's members do not pass to the next",
	 "{\"allow\":true,\"type\":\"b\",\"access\":\"rwm\"},{\"allow\":true}", false},
	{"rules: nor does a number", ONE("false") "," ALLOW_ALL, true},
};

UNIT_ROWS(rule_cases)
{
	cleanup_arena arena = {0};
	struct spec spec;

	must_parse(
		&arena,
		arena_printf(&arena, "{\"linux\":{\"resources\":{\"devices\":[%s]}}}", row->rules),
		&spec);
	assert_int_equal(spec.every_device, row->every_device);
}

/* ---- devices ---- */

UNIT_TEST("devices: as they stand, what is not said is -1")
{
	cleanup_arena arena = {0};
	struct spec spec;

	must_parse(&arena,
		   "{\"linux\":{\"devices\":["
		   "{\"path\":\"/dev/infiniband/uverbs6\",\"type\":\"c\",\"major\":231,"
		   "\"minor\":198,\"fileMode\":438,\"uid\":0},"
		   "{\"type\":\"u\",\"major\":1},{\"type\":\"b\",\"path\":\"/dev/x\"},{},"
		   "{\"minor\":9223372036854775807,\"major\":-1,\"type\":\"cc\"}]}}",
		   &spec);
	assert_int_equal(spec.n_devices, 5);
	assert_string_equal(spec.devices[0].path, "/dev/infiniband/uverbs6");
	assert_true(spec.devices[0].character);
	assert_int_equal(spec.devices[0].major, 231);
	assert_int_equal(spec.devices[0].minor, 198);
	assert_true(spec.devices[1].character);
	assert_string_equal(spec.devices[1].path, "");
	assert_int_equal(spec.devices[1].major, 1);
	assert_int_equal(spec.devices[1].minor, -1);
	assert_false(spec.devices[2].character);
	assert_false(spec.devices[3].character);
	assert_int_equal(spec.devices[3].major, -1);
	assert_false(spec.devices[4].character);
	assert_true(spec.devices[4].minor == INT64_MAX);
	assert_false(spec.every_device);
}

UNIT_TEST("mounts: what comes from below /dev/infiniband/, and not that directory itself")
{
	WITH_ARENA;
	struct spec spec;

	must_parse(&arena,
		   "{\"mounts\":[{\"destination\":\"/a\",\"source\":\"/dev/infiniband/\"},"
		   "{\"destination\":\"/b\",\"source\":\"/dev/infiniband/uverbs6\"},"
		   "{\"source\":7},{\"destination\":\"/c\"},{\"source\":\"/dev/infiniband\"},"
		   "{\"source\":\"/dev/infiniband-x\"}]}",
		   &spec);
	assert_int_equal(spec.n_mounts, 3);
	assert_string_equal(spec.mounts[2], "/c");
	assert_int_equal(spec.n_verbs_sources, 3);
	assert_string_equal(spec.verbs_sources[0], "/dev/infiniband/");
	assert_string_equal(spec.verbs_sources[1], "/dev/infiniband/uverbs6");
	assert_string_equal(spec.verbs_sources[2], "/dev/infiniband");
}
