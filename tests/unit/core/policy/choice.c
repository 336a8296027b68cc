/* SPDX-License-Identifier: Apache-2.0 */
/* Which runtime the shim runs, whatever else is wrong with the file */
#include "suite.h"

#include "core/policy/policy.h"

static const struct choice_case {
	const char *name;
	const char *text; /* NULL: no file */
	enum choice choice;
	const char *runtimes; /* joined; NULL: as they were */
	const char *state_dir;
} choice_cases[] = {
	{"choice: no file", NULL, CHOICE_UNKNOWN, NULL, NULL},
	{"choice: neither key", "{}", CHOICE_SAID, NULL, NULL},
	{"choice: both keys", "{\"runtimes\":[\"/a/crun\",\"/b/runc\"],\"state_dir\":\"/run/x\"}",
	 CHOICE_SAID, "/a/crun,/b/runc,", "/run/x"},
	{"choice: no runtime at all", "{\"runtimes\":[]}", CHOICE_SAID, "", NULL},
	{"choice: comments, and keys that nobody knows",
	 "/* x */{\"opt_inn\":1,\"runtimes\":[\"/a/crun\"]}", CHOICE_SAID, "/a/crun,", NULL},
	{"choice: what is broken behind the runtimes",
	 "{\"runtimes\":[\"/a/crun\"],\"memlock\":", CHOICE_FRONT, "/a/crun,", NULL},
	{"choice: what is broken among the runtimes",
	 "{\"state_dir\":\"/run/x\",\"runtimes\":[\"/a/crun\"", CHOICE_UNKNOWN, NULL, NULL},
	{"choice: what is broken before the runtimes", "{\"state_dir\":\"/run/x\",", CHOICE_UNKNOWN,
	 NULL, NULL},
	{"choice: a relative runtime", "{\"runtimes\":[\"/a/crun\",\"runc\"]}", CHOICE_UNKNOWN,
	 NULL, NULL},
	{"choice: a relative state_dir", "{\"runtimes\":[\"/a/crun\"],\"state_dir\":\"x\"}",
	 CHOICE_FRONT, "/a/crun,", NULL},
	{"choice: a state_dir with a line break",
	 "{\"runtimes\":[\"/a/crun\"],\"state_dir\":\"/run/x\\n/b\"}", CHOICE_FRONT, "/a/crun,",
	 NULL},
	{"choice: no JSON", "x", CHOICE_UNKNOWN, NULL, NULL},
};

static const char *joined(struct arena *arena, const struct config *config)
{
	const char *all = "";

	for (size_t i = 0; i < config->n_runtimes; i++)
		all = arena_printf(arena, "%s%s,", all, config->runtimes[i]);
	return all;
}

UNIT_ROWS(choice_cases)
{
	WITH_DIR(root);
	const char *before[] = {"/before"};
	struct config config = {.runtimes = before, .n_runtimes = 1, .state_dir = "/run/before"};

	if (row->text)
		unit_write(root.fd, CONFIG_PATH, row->text, 0644);
	assert_int_equal(choice_read(&arena, root.path, NULL, &config), row->choice);
	assert_string_equal(joined(&arena, &config), row->runtimes ? row->runtimes : "/before,");
	assert_string_equal(config.state_dir, row->state_dir ? row->state_dir : "/run/before");
}

/* Else it would be anybody's choice what root runs. */
UNIT_TEST("choice: only a trusted file chooses")
{
	WITH_DIR(root);
	struct config config = {0};
	const char *path = arena_printf(&arena, "%s/named.json", root.path);

	unit_write(root.fd, CONFIG_PATH, "{\"runtimes\":[\"/a/crun\"]}", 0646);
	assert_int_equal(choice_read(&arena, root.path, NULL, &config), CHOICE_UNKNOWN);
	unit_write(root.fd, "named.json", "{\"runtimes\":[\"/b/runc\"]}", 0644);
	assert_int_equal(choice_read(&arena, root.path, path, &config), CHOICE_SAID);
	assert_string_equal(joined(&arena, &config), "/b/runc,");
	assert_int_equal(fchmodat(root.fd, "named.json", 0666, 0), 0);
	assert_int_equal(choice_read(&arena, root.path, path, &config), CHOICE_UNKNOWN);
	assert_int_equal(choice_read(&arena, path, NULL, &config), CHOICE_UNKNOWN);
}
