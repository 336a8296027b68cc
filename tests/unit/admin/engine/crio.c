/* SPDX-License-Identifier: Apache-2.0 */
/* CRI-O's handlers */
#include "admin/engine/crio.h"
#include "tests/unit/unit.h"

/* Replaces the keys of an inline table, not those of a table with a longer name */
UNIT_TEST("CRI-O: an inline table takes the place of its own keys alone")
{
	static char text[] = "[crio.runtime.runtimes.x]\n"
			     "annotations.a = \"1\"\n"
			     "ab.c = \"2\"\n"
			     "a = {b = \"3\", c = {d = \"4\"}}\n";
	const struct fs_text all = {.bytes = text, .len = strlen(text)};
	WITH_ARENA;
	const char *got = "";
	struct crio crio;

	assert_int_equal(crio_read_text(&arena, "x.conf", &all, &crio, &err), 0);
	assert_int_equal(crio.n_handlers, 1);
	for (size_t i = 0; i < crio.handler[0].entries.n; i++)
		got = arena_printf(&arena, "%s%s|%s;", got, crio.handler[0].entries.item[i].table,
				   crio.handler[0].entries.item[i].spelled);
	assert_string_equal(got, "annotations|a = \"1\";ab|c = \"2\";"
				 "|a = {b = \"3\", c = {d = \"4\"}};");
}

int main(void)
{
	return unit_main("crio");
}
