/* SPDX-License-Identifier: Apache-2.0 */
/* The status of the NRI plugin: what its file says, and whose counts */
#include "tests/unit/unit.h"

#include "explain/nri_status.h"

UNIT_TEST("status: it is read as it was written")
{
	static const struct nri_status written = {
		.pid = 12,
		.started = UINT64_MAX,
		.alive_ms = 99,
		.socket = "/x \"y\"",
		.since = "2026-11-21T20:22:43Z",
		.runtime = "containerd",
		.version = "2.1.9",
		.answers = {.n = 2, .us = 3000001, .slowest_us = 3000000},
		.unseen = 3,
	};
	WITH_DIR(dir);
	struct nri_status status;
	size_t len;
	const char *text = nri_status_text(&arena, &written, &len);

	assert_non_null(text);
	unit_write(dir.fd, NRI_STATUS_PATH, text, 0644);
	assert_int_equal(nri_status_read(&arena, dir.fd, "nri.json", &status, &err), 0);
	assert_true(status.pid == 12 && status.started == UINT64_MAX && status.alive_ms == 99);
	assert_null(status.trouble);
	assert_string_equal(status.socket, written.socket);
	assert_string_equal(status.since, written.since);
	assert_string_equal(status.runtime, "containerd");
	assert_string_equal(status.version, "2.1.9");
	assert_int_equal(status.answers.n, 2);
	assert_int_equal(status.answers.us, 3000001);
	assert_int_equal(status.answers.slowest_us, 3000000);
	assert_int_equal(status.unseen, 3);
}

static const struct wrong_case {
	const char *name;
	const char *text; /* NULL: no file */
	int want;
	const char *says;
} wrong_cases[] = {
	{"status: no file", NULL, -ENOENT, "/" NRI_STATUS_PATH ": No such file"},
	{"status: a half", "{", -1, "/" NRI_STATUS_PATH},
	{"status: a pid that is no number", "{\"pid\":\"x\"}", -1, "pid"},
	{"status: a count below zero", "{\"pid\":12,\"unseen\":-1}", -1, "unseen"},
};

UNIT_ROWS(wrong_cases)
{
	WITH_DIR(dir);
	struct nri_status status;

	if (row->text)
		unit_write(dir.fd, NRI_STATUS_PATH, row->text, 0644);
	assert_int_equal(nri_status_read(&arena, dir.fd, "nri.json", &status, &err), row->want);
	assert_has(err.text, row->says);
	/* A probe does not take it for a plugin that has not started yet. */
	assert_int_equal(nri_status_find(&arena, dir.fd, false, &status, &err), row->want);
}

UNIT_TEST("status: a process is known by its start")
{
	assert_true(nri_status_start_of(getpid()) > 0);
	assert_true(nri_status_start_of(getpid()) == nri_status_start_of(getpid()));
	assert_true(nri_status_start_of(0) == 0);
	assert_true(nri_status_start_of(-1) == 0);
	assert_true(nri_status_start_of(INT64_MAX) == 0);
}

/* ---- several of a node ---- */

#define CONNECTED "\"connected_since\":\"2026-11-21T20:22:43Z\""

static const struct several_case {
	const char *name;
	const char *a, *b; /* without the braces */
	int64_t pid;
	unsigned n_connected;
} several_cases[] = {
	{"status: two that are connected", CONNECTED, CONNECTED, 12, 2},
	{"status: one of two is connected", "\"connected_since\":null", CONNECTED, 13, 1},
	{"status: the socket of one has another listener", CONNECTED ",\"trouble\":\"x\"",
	 CONNECTED, 12, 1},
};

static void write_status(int dir, const char *path, int pid, const char *members)
{
	char text[512];

	(void)snprintf(text, sizeof(text), "{\"pid\":%d,%s}", pid, members);
	unit_write(dir, path, text, 0644);
}

UNIT_ROWS(several_cases)
{
	WITH_DIR(dir);
	struct nri_status status;

	write_status(dir.fd, NRI_STATUS_DIR "/nri-a.json", 12, row->a);
	write_status(dir.fd, NRI_STATUS_DIR "/nri-b.json", 13, row->b);
	unit_write(dir.fd, NRI_STATUS_DIR "/other.json", "{", 0644);
	assert_int_equal(nri_status_find(&arena, dir.fd, true, &status, &err), 0);
	assert_int_equal(status.pid, row->pid);
	assert_int_equal(status.n_found, 2);
	assert_int_equal(status.n_connected, row->n_connected);
}

int main(void)
{
	return unit_main("nri_status");
}
