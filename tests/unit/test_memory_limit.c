/* SPDX-License-Identifier: Apache-2.0 */
/* What limits a container's memory: what the runtime will write into its cgroup, and no other text.
 */
#include "unit.h"

#include "core/node/node.h"
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
	{"unified: a number of many digits is none",
	 "{" MAX("\"00000000000000000000000000000000000000000000001\"") "}", 0},
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

static void limit_is(void **state)
{
	const struct limit_case *row = *state;
	cleanup_arena arena = {0};
	char *text = arena_printf(&arena, "{\"linux\":{\"resources\":%s}}", row->resources);
	struct spec spec;
	struct err err;

	assert_int_equal(spec_parse(&arena, "config.json", text, strlen(text), &spec, &err), 0);
	assert_true(spec.memory_limit == row->limit);
}

static const struct node_case {
	const char *name;
	const char *meminfo; /* NULL: there is none */
	uint64_t memory;
} node_cases[] = {
	{"node: MemTotal", "MemTotal:       16384000 kB\nMemFree:        1024 kB\n",
	 UINT64_C(16384000) * 1024},
	{"node: another first line is not known", "MemFree:        1024 kB\nMemTotal: 1 kB\n", 0},
	{"node: nothing in it", "", 0},
	{"node: no /proc/meminfo", NULL, 0},
};

static void node_has(void **state)
{
	const struct node_case *row = *state;
	char dir[] = "/tmp/oci-rdma-memory.XXXXXX";
	struct node node = {.recorded = true, .char_devices = -1};
	FILE *file;
	int fd;

	assert_non_null(mkdtemp(dir));
	node.root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(mkdirat(node.root, "proc", 0755), 0);
	if (row->meminfo) {
		fd = openat(node.root, "proc/meminfo", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		file = fdopen(fd, "w");
		assert_non_null(file);
		assert_true(fputs(row->meminfo, file) >= 0);
		assert_int_equal(fclose(file), 0);
	}
	assert_true(node_memory(&node) == row->memory);
	(void)unlinkat(node.root, "proc/meminfo", 0);
	(void)unlinkat(node.root, "proc", AT_REMOVEDIR);
	(void)close(node.root);
	(void)rmdir(dir);
}

int main(void)
{
	static struct unit_suite suite;

	UNIT_TABLE(&suite, limit_is, limit_cases);
	UNIT_TABLE(&suite, node_has, node_cases);
	return unit_run(&suite, "memory limit");
}
