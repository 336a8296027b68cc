/* SPDX-License-Identifier: Apache-2.0 */
/* nccl.conf as NCCL reads it */
#include "doctor/nccl/nccl_settings.h"
#include "tests/unit/unit.h"

static const struct file_case {
	const char *name, *text;
	const char *value; /* NCCL_X's; NULL: not set */
	size_t oddities;
} file_cases[] = {
	{"without its end", "NCCL_X=1", "1", 0},
	{"the first = splits", "NCCL_X==a,b\n", "=a,b", 0},
	{"the first line wins", "NCCL_X=1\nNCCL_X=2\n", "1", 0},
	{"a comment", "#NCCL_X=1\n", NULL, 0},
	{"a comment that is indented is a name", " #NCCL_X=1\n", NULL, 1},
	{"no =", "NCCL_X\n", NULL, 0},
	{"an empty value", "NCCL_X=\n", "", 0},
	{"a space before = is the name's", "NCCL_X =1\n", NULL, 1},
	{"a space behind = is the value's, and seen", "NCCL_X= 1\n", " 1", 0},
	{"a carriage return is the value's", "NCCL_X=1\r\n", "1\r", 1},
	{"quotes are the value's", "NCCL_X=\"1\"\n", "\"1\"", 1},
	{"export is the name's", "export NCCL_X=1\n", NULL, 1},
	{"what is no variable of NCCL's is not told", "export DB_PASSWORD=\"x\"\n", NULL, 0},
	{"nor what only begins like one", "NCCL_db password =x\n", NULL, 0},
	{"nor what a space makes one", "x NCCL_X =1\n", NULL, 0},
};

UNIT_ROWS_AS("nccl.conf: ", file_cases)
{
	cleanup_arena arena = {0};
	struct nccl_settings settings = {.arena = &arena, .files = ""};
	const struct nccl_setting *found;
	const struct fs_text text = {arena_strdup(&arena, row->text), strlen(row->text)};

	assert_int_equal(nccl_settings_add_file(&settings, "/etc/nccl.conf", &text), 0);
	found = nccl_settings_find(&settings, "NCCL_X");
	assert_int_equal(settings.n_oddities, row->oddities);
	assert_string_equal(found ? found->value : "none", row->value ? row->value : "none");
}

int main(void)
{
	return unit_main("settings");
}
