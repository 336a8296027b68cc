/* SPDX-License-Identifier: Apache-2.0 */
/* The status of the NRI plugin: what its file says, and whose counts */
#include "tests/unit/unit.h"

#include <errno.h>

#include "core/nri_status.h"

static void is_read_as_it_was_written(void **state)
{
	static const struct nri_missed item = {.id = "0123", .who = "a/b/c", .mended = true};
	static const struct nri_status written = {
		.pid = 12,
		.started = 4242,
		.alive_ms = 99,
		.awaited = true,
		.socket = "/run/nri.sock",
		.missed = {.found = 4, .mended = 1, .open = 2, .unseen = 3, .item = &item, .n = 1},
	};
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_arena arena = {0};
	struct nri_status status;
	struct err err;
	size_t len;
	const char *text = nri_status_text(&arena, &written, &len);

	(void)state;
	assert_non_null(text);
	unit_write(dir.fd, NRI_STATUS_PATH, text, 0644);
	assert_int_equal(nri_status_read(&arena, dir.fd, &status, &err), 0);
	assert_true(status.pid == 12 && status.started == 4242 && status.alive_ms == 99);
	assert_true(status.awaited && !status.standby && !status.since);
	assert_string_equal(status.socket, "/run/nri.sock");
	assert_true(status.missed.found == 4 && status.missed.open == 2 && status.missed.n == 1);
	assert_string_equal(status.missed.item[0].who, "a/b/c");
	assert_true(status.missed.item[0].mended);
}

static const struct wrong_case {
	const char *name;
	const char *text; /* NULL: no file */
	int want;
	const char *says;
} wrong_cases[] = {
	{"status: no file", NULL, -ENOENT, "/" NRI_STATUS_PATH ": No such file"},
	{"status: a half", "{", -1, "/" NRI_STATUS_PATH},
	{"status: what was missed is no object", "{\"pid\":12,\"missed\":5}", -1, "missed"},
};

static void is_said_to_be_wrong(void **state)
{
	const struct wrong_case *row = *state;
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_arena arena = {0};
	struct nri_status status;
	struct err err = {0};

	if (row->text)
		unit_write(dir.fd, NRI_STATUS_PATH, row->text, 0644);
	assert_int_equal(nri_status_read(&arena, dir.fd, &status, &err), row->want);
	assert_has(err.text, row->says);
	/* A probe does not take it for a plugin that has not started yet. */
	assert_int_equal(nri_status_find_own(&arena, dir.fd, &status, &err), row->want);
}

/* ---- which of several counts ---- */

#define CONNECTED "\"connected_since\":\"2026-11-21T20:22:43Z\""

static const struct which_case {
	const char *name;
	const char *own; /* without the braces */
	const char *standby;
	int64_t pid;
} which_cases[] = {
	{"status: one that serves, and one that waits", CONNECTED, "\"standby\":true", 12},
	{"status: the one that waits has taken over", "\"standby\":true", CONNECTED, 13},
	{"status: of two that serve the first", CONNECTED, CONNECTED, 12},
	{"status: of two that wait the first", "\"standby\":true", "\"standby\":true", 12},
	{"status: not connected is better than to wait", "\"standby\":false", "\"standby\":true",
	 12},
};

static void write_status(int dir, const char *path, int pid, const char *members)
{
	char text[256];

	(void)snprintf(text, sizeof(text), "{\"pid\":%d,%s}", pid, members);
	unit_write(dir, path, text, 0644);
}

static void the_better_one_counts(void **state)
{
	const struct which_case *row = *state;
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_arena arena = {0};
	struct nri_status status;
	struct err err;

	write_status(dir.fd, NRI_STATUS_PATH, 12, row->own);
	write_status(dir.fd, NRI_STANDBY_PATH, 13, row->standby);
	assert_int_equal(nri_status_find(&arena, dir.fd, true, &status, &err), 0);
	assert_int_equal(status.pid, row->pid);
}

int main(void)
{
	static struct unit_suite suite;

	unit_add(&suite, "status: it is read as it was written", is_read_as_it_was_written, NULL);
	UNIT_TABLE(&suite, is_said_to_be_wrong, wrong_cases);
	UNIT_TABLE(&suite, the_better_one_counts, which_cases);
	return unit_run(&suite, "core_nri_status");
}
