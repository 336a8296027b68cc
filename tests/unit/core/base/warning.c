/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings are bounded, in number and in length. */
#include "tests/unit/unit.h"

static void at_most_128_warnings_are_kept(void **state)
{
	cleanup_arena arena = {0};
	struct warnings warnings = {0};

	(void)state;
	for (int i = 0; i < 10 * WARNINGS_MAX; i++)
		assert_int_equal(warnings_add(&arena, &warnings, "code", "number %d", i), 0);
	assert_int_equal(warnings.n, WARNINGS_MAX);
	assert_string_equal(warnings.item[0].message, "number 0");
	assert_string_equal(warnings.item[WARNINGS_MAX - 1].message, "number 127");
	assert_string_equal(warnings.item[WARNINGS_MAX - 1].code, "code");
}

static void a_warning_is_one_bounded_line(void **state)
{
	cleanup_arena arena = {0};
	struct warnings warnings = {0};
	char large[5000];

	(void)state;
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	assert_int_equal(warnings_add(&arena, &warnings, "code", "%s", large), 0);
	assert_true(strlen(warnings.item[0].message) < 600);
	assert_int_equal(warnings_add(&arena, &warnings, "code", "a%sb", "\n\x1b\x7f"), 0);
	assert_string_equal(warnings.item[1].message, "a???b");
}

int main(void)
{
	static struct unit_suite suite;

	unit_add(&suite, "warnings: at most 128, the first ones", at_most_128_warnings_are_kept,
		 NULL);
	unit_add(&suite, "warnings: each is one bounded line", a_warning_is_one_bounded_line, NULL);
	return unit_run(&suite, "warning");
}
