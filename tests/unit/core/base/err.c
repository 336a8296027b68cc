/* SPDX-License-Identifier: Apache-2.0 */
/* An error is one bounded line: file, place, reason. */
#include <errno.h>

#include "tests/unit/unit.h"

UNIT_TEST("error: file, place and reason in this order")
{
	struct err err;

	assert_int_equal(err_set(&err, "no %s", "number"), -1);
	assert_string_equal(err.text, "no number");
	assert_int_equal(err_prefix(&err, "file: line %d", 3), -1);
	assert_string_equal(err.text, "file: line 3: no number");
	assert_int_equal(err_sys(&err, ENOENT, "%s", "file"), -1);
	assert_string_equal(err.text, "file: No such file or directory");
	assert_int_equal(err_memory(&err), -1);
	assert_string_equal(err.text, "out of memory");
}

UNIT_TEST("error: a missing system call is named, with what to do")
{
	struct err err = {.more = "of another error"};

	assert_int_equal(err_sys(&err, ENOSYS, "file"), -1);
	assert_has(err.text, "file: ");
	assert_has(err.text, "openat2(2)");
	assert_null(err.more);
}

UNIT_TEST("error: only the want of memory is known as such")
{
	struct err err;

	err_memory(&err);
	assert_true(err.errnum == ENOMEM);
	err_prefix(&err, "file");
	assert_true(err.errnum == ENOMEM);
	err_sys(&err, EIO, "file");
	assert_false(err.errnum == ENOMEM);
	err_sys(&err, ENOMEM, "file");
	assert_true(err.errnum == ENOMEM);
	err_set(&err, "out of memory");
	assert_false(err.errnum == ENOMEM);
}

UNIT_TEST("error: too long is cut")
{
	char large[3 * ERR_TEXT_MAX];
	struct err err;

	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	err_set(&err, "%s", large);
	assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
	err_prefix(&err, "%s", "front");
	assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
	assert_has(err.text, "front: xxx");
	err_prefix(&err, "%s", large);
	assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
	err_sys(&err, ENOENT, "%s", large);
	assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
}

UNIT_TEST("error: one line, whatever it quotes")
{
	struct err err;

	err_set(&err, "a%sb", "\n\x1b[2J\x7f");
	assert_one_line(&err);
	err_prefix(&err, "c%sd", "\r\n");
	assert_one_line(&err);
	err_sys(&err, EIO, "e%sf", "\t");
	assert_one_line(&err);
}

/* ---- warnings: bounded, in number and in length ---- */

UNIT_TEST("warnings: at most 128, the first ones")
{
	cleanup_arena arena = {0};
	struct warnings warnings = {0};

	for (int i = 0; i < 10 * WARNINGS_MAX; i++)
		assert_int_equal(warnings_add(&arena, &warnings, "code", "number %d", i), 0);
	assert_int_equal(warnings.n, WARNINGS_MAX);
	assert_string_equal(warnings.item[0].message, "number 0");
	assert_string_equal(warnings.item[WARNINGS_MAX - 1].message, "number 127");
	assert_string_equal(warnings.item[WARNINGS_MAX - 1].code, "code");
}

UNIT_TEST("warnings: each is one bounded line")
{
	cleanup_arena arena = {0};
	struct warnings warnings = {0};
	char large[5000];

	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	assert_int_equal(warnings_add(&arena, &warnings, "code", "%s", large), 0);
	assert_true(strlen(warnings.item[0].message) < 600);
	assert_int_equal(warnings_add(&arena, &warnings, "code", "a%sb", "\n\x1b\x7f"), 0);
	assert_string_equal(warnings.item[1].message, "a???b");
}

int main(void)
{
	return unit_main("err");
}
