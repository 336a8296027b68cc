/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's levels of distance */
#include "doctor/nccl/nccl.h"
#include "tests/unit/unit.h"

struct level_case {
	const char *name;
	const char *value;
	const char *level; /* NULL: none */
};

static const struct level_case level_cases[] = {
	{"a name", "PXB", "PXB"},
	{"0 is LOC", "0", "LOC"},
	{"1 is PIX", "1", "PIX"},
	{"2 is PXB", "2", "PXB"},
	{"3 is PHB", "3", "PHB"},
	{"4 is SYS", "4", "SYS"},
	{"5 is SYS", "5", "SYS"},
	{"more is SYS", "99", "SYS"},
	{"lower case is none", "sys", NULL},
	{"nothing is none", "", NULL},
	{"less than 0 is none", "-1", NULL},
	{"a huge number is SYS", "99999999999999999999", "SYS"},
};

static void test_level(void **state)
{
	const struct level_case *row = *state;
	const char *level = nccl_level(row->value);

	if (row->level)
		assert_string_equal(level, row->level);
	else
		assert_null(level);
}

int main(void)
{
	static struct unit_suite suite;

	UNIT_TABLE_AS(&suite, "GDR level: ", test_level, level_cases);
	return unit_run(&suite, "level");
}
