/* SPDX-License-Identifier: Apache-2.0 */
/* Total memory by /proc/meminfo */
#include "tests/unit/unit.h"

#include "core/node/node.h"

static const struct node_case {
	const char *name;
	const char *meminfo; /* NULL: no file */
	uint64_t memory;
} node_cases[] = {
	{"node: MemTotal", "MemTotal:       16384000 kB\nMemFree:        1024 kB\n",
	 UINT64_C(16384000) * 1024},
	{"node: another first line is not known", "MemFree:        1024 kB\nMemTotal: 1 kB\n", 0},
	{"node: nothing in it", "", 0},
	{"node: no /proc/meminfo", NULL, 0},
};

UNIT_ROWS(node_cases)
{
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
	return unit_main("memory");
}
