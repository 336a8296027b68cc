/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "core/process/process.h"

#define STAT_TO_20 " S 7 8 9 10 -1 12 13 14 15 16 17 18 19 20 21 22 23"

static const struct stat_case {
	const char *name;
	const char *line;
	uint64_t parent;
	uint64_t start;
} stat_cases[] = {
	{"stat: a process", "12 (sleep)" STAT_TO_20 " 0 4711 99", 7, 4711},
	{"stat: a name of parentheses and spaces", "12 (a) S 1 2 (b c)" STAT_TO_20 " 0 4711 99", 7,
	 4711},
	{"stat: a name with a line break, and the fields of another process",
	 "12 (x) R 99\n)" STAT_TO_20 " 0 4711 99", 7, 4711},
	{"stat: the last field", "12 (sleep)" STAT_TO_20 " 0 18446744073709551615", 7, UINT64_MAX},
	{"stat: cut off before the start", "12 (sleep)" STAT_TO_20 " 0", 7, 0},
	{"stat: cut off before the parent", "12 (sleep) S", 0, 0},
	{"stat: cut off in the name", "12 (sle", 0, 0},
	{"stat: empty", "", 0, 0},
};

UNIT_ROWS(stat_cases)
{
	cleanup_unit_dir dir = unit_dir_make();

	unit_write(dir.fd, "stat", row->line, 0644);
	assert_int_equal(process_stat_read(dir.fd, "stat", PROCESS_STAT_PARENT), row->parent);
	assert_true(process_stat_read(dir.fd, "stat", PROCESS_STAT_START) == row->start);
}

UNIT_TEST("stat: a file that is longer than any of the kernel's")
{
	static const char front[] = "12 (sleep) S 7 ";
	cleanup_unit_dir dir = unit_dir_make();
	char text[4096];

	memset(text, '8', sizeof(text));
	memcpy(text, front, strlen(front));
	text[sizeof(text) - 1] = '\0';
	unit_write(dir.fd, "stat", text, 0644);
	assert_int_equal(process_stat_read(dir.fd, "stat", PROCESS_STAT_PARENT), 0);
}

int main(void)
{
	return unit_main("process_stat");
}
