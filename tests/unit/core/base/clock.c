/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "core/base/clock.h"

static const struct utc_case {
	const char *name;
	int64_t seconds;
	const char *text;
} utc_cases[] = {
	{"a day", 1795000000, "2026-11-18T11:06:40Z"},
	{"before 1970", -1, "1969-12-31T23:59:59Z"},
	{"a year that struct tm does not hold", INT64_MAX, ""},
};

UNIT_ROWS_AS("UTC: ", utc_cases)
{
	char text[CLOCK_UTC_SIZE] = "before";

	clock_utc(row->seconds, text);
	assert_string_equal(text, row->text);
}

int main(void)
{
	return unit_main("clock");
}
