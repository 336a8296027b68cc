/* SPDX-License-Identifier: Apache-2.0 */
/* A container's memory limit: only what the runtime writes into its cgroup */
#include "tests/unit/unit.h"

#include "core/spec/spec.h"

#define LIMIT(value) "\"memory\":{\"limit\":" value "}"
#define MAX(value) "\"unified\":{\"memory.max\":" value "}"

static const struct limit_case {
	const char *name;
	const char *resources;
	uint64_t limit; /* 0: none */
} limit_cases[] = {
	{"memory: no resources", "null", 0},
	{"memory: none", "{}", 0},
	{"memory: null", "{\"memory\":null,\"unified\":null}", 0},
	{"memory: a limit", "{" LIMIT("536870912") "}", 536870912},
	{"memory: -1 is none", "{" LIMIT("-1") "}", 0},
	{"memory: any negative one is none", "{" LIMIT("-4096") "}", 0},
	{"memory: 0 is none", "{" LIMIT("0") "}", 0},
	{"memory: null is none", "{" LIMIT("null") "}", 0},
	{"memory: swap alone is none", "{\"memory\":{\"swap\":536870912,\"reservation\":1}}", 0},
	{"memory: the most that cgroup v1 knows", "{" LIMIT("9223372036854771712") "}",
	 UINT64_C(9223372036854771712)},
	{"unified: memory.max", "{" MAX("\"1073741824\"") "}", 1073741824},
	{"unified: memory.high is none", "{\"unified\":{\"memory.high\":\"1\"}}", 0},
	{"unified: max is none", "{" MAX("\"max\"") "}", 0},
	{"unified: max and a line break is none", "{" MAX("\"max\\n\"") "}", 0},
	{"unified: nothing is none", "{" MAX("\"\"") "}", 0},
	{"unified: 0 is none", "{" MAX("\"0\"") "}", 0},
	{"unified: a negative one is none", "{" MAX("\"-1\"") "}", 0},
	{"unified: blanks in front are none", "{" MAX("\" 1\"") "}", 0},
	{"unified: a sign in front is none", "{" MAX("\"+1\"") "}", 0},
	{"unified: a unit is none", "{" MAX("\"1G\"") "}", 0},
	{"unified: text behind is none", "{" MAX("\"1\\n2\"") "}", 0},
	{"unified: beyond 64 bits is none", "{" MAX("\"18446744073709551616\"") "}", 0},
	{"unified: leading zeros change nothing",
	 "{" MAX("\"00000000000000000000000000000000000000000000001\"") "}", 1},
	{"unified: a large one is what it says", "{" MAX("\"99999999999999999\"") "}",
	 UINT64_C(99999999999999999)},
	{"both: memory.max is written last", "{" LIMIT("1048576") "," MAX("\"2097152\"") "}",
	 2097152},
	{"both: in either order", "{" MAX("\"2097152\"") "," LIMIT("1048576") "}", 2097152},
	{"both: memory.max takes a limit away", "{" LIMIT("1048576") "," MAX("\"max\"") "}", 0},
	{"both: memory.max takes it away in either order",
	 "{" MAX("\"max\"") "," LIMIT("1048576") "}", 0},
	{"both: what memory.max does not say in digits is none",
	 "{" LIMIT("1048576") "," MAX("\"\"") "}", 0},
	{"both: memory.max gives a limit", "{" LIMIT("-1") "," MAX("\"1\"") "}", 1},
};

UNIT_ROWS(limit_cases)
{
	WITH_ARENA;
	char *text = arena_printf(&arena, "{\"linux\":{\"resources\":%s}}", row->resources);
	struct spec spec;

	assert_int_equal(spec_parse(&arena, "config.json", text, strlen(text), &spec, &err), 0);
	assert_true(spec.memory_limit == row->limit);
}

int main(void)
{
	return unit_main("memory_limit");
}
