/* SPDX-License-Identifier: Apache-2.0 */
/* RLIMIT_MEMLOCK */
#include "suite.h"

#define NOFILE "{\"type\":\"RLIMIT_NOFILE\",\"soft\":5,\"hard\":6}"

static const struct rlimit_case {
	const char *name;
	const char *rlimits;
	bool has;
	uint64_t soft;
	uint64_t hard;
} rlimit_cases[] = {
	{"rlimits: none", "[]", false, 0, 0},
	{"rlimits: null", "null", false, 0, 0},
	{"rlimits: others", "[" NOFILE "]", false, 0, 0},
	{"rlimits: memlock", "[" MEMLOCK("1", "2") "]", true, 1, 2},
	{"rlimits: memlock behind others", "[" NOFILE "," MEMLOCK("1", "2") "]", true, 1, 2},
	{"rlimits: memlock before others", "[" MEMLOCK("1", "2") "," NOFILE "]", true, 1, 2},
	{"rlimits: members in another order",
	 "[{\"hard\":2,\"soft\":1,\"type\":\"RLIMIT_MEMLOCK\"}]", true, 1, 2},
	{"rlimits: of several memlock the last holds",
	 "[" MEMLOCK("1", "2") "," NOFILE "," MEMLOCK("3", "4") "]", true, 3, 4},
	{"rlimits: 2^64-1", "[" MEMLOCK("18446744073709551615", "18446744073709551615") "]", true,
	 UINT64_MAX, UINT64_MAX},
	{"rlimits: 2^63", "[" MEMLOCK("9223372036854775808", "9223372036854775808") "]", true,
	 UINT64_C(1) << 63, UINT64_C(1) << 63},
	{"rlimits: memlock without numbers", "[{\"type\":\"RLIMIT_MEMLOCK\"}]", true, 0, 0},
	{"rlimits: no type", "[{\"soft\":1,\"hard\":2}]", false, 0, 0},
	{"rlimits: a longer type is another",
	 "[{\"type\":\"RLIMIT_MEMLOCKS\",\"soft\":1,\"hard\":2}]", false, 0, 0},
	{"rlimits: lower case is another", "[{\"type\":\"rlimit_memlock\",\"soft\":1,\"hard\":2}]",
	 false, 0, 0},
	{"rlimits: one entry's numbers do not pass to the next",
	 "[" NOFILE ",{\"type\":\"RLIMIT_MEMLOCK\",\"soft\":1}]", true, 1, 0},
};

UNIT_ROWS(rlimit_cases)
{
	cleanup_arena arena = {0};
	struct spec spec;

	must_parse(&arena, arena_printf(&arena, "{\"process\":{\"rlimits\":%s}}", row->rlimits),
		   &spec);
	assert_int_equal(spec.has_memlock, row->has);
	assert_true(spec.memlock_soft == row->soft);
	assert_true(spec.memlock_hard == row->hard);
}
