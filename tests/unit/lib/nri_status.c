/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin's status file, and whose counts it has */
#include "tests/unit/unit.h"

#include "core/base/clock.h"
#include "lib/nri_status.h"

UNIT_TEST("status: it is read as it was written")
{
	static const struct nri_status written = {
		.pid = 12,
		.alive_ms = 99,
		.since = "2026-11-21T20:22:43Z",
		.runtime = "x \"y\"",
		.version = "2.1.9",
		.answers = {.n = 2, .us = 3000001, .slowest_us = 3000000},
		.unseen = 3,
	};
	WITH_DIR(dir);
	struct nri_status status;
	size_t len;
	const char *text = json_fields_write(&arena, nri_status_fields, &written, &len);

	assert_non_null(text);
	unit_write(dir.fd, NRI_STATUS_PATH, text, 0644);
	assert_int_equal(nri_status_find(&arena, dir.fd, true, &status, &err), 0);
	assert_true(status.pid == 12 && status.alive_ms == 99);
	assert_null(status.trouble);
	assert_string_equal(status.since, written.since);
	assert_string_equal(status.runtime, written.runtime);
	assert_string_equal(status.version, "2.1.9");
	assert_int_equal(status.answers.n, 2);
	assert_int_equal(status.answers.us, 3000001);
	assert_int_equal(status.answers.slowest_us, 3000000);
	assert_int_equal(status.unseen, 3);
	assert_int_equal(status.state, NRI_SERVES);
}

static const struct wrong_case {
	const char *name;
	const char *text;
	const char *says;
} wrong_cases[] = {
	{"status: a half", "{", "/" NRI_STATUS_PATH},
	{"status: a pid that is no number", "{\"pid\":\"x\"}", "pid"},
	{"status: a count below zero", "{\"pid\":12,\"unseen\":-1}", "unseen"},
};

UNIT_ROWS(wrong_cases)
{
	WITH_DIR(dir);
	struct nri_status status;

	unit_write(dir.fd, NRI_STATUS_PATH, row->text, 0644);
	/* A probe must not take it for a plugin that is still starting. */
	for (int recorded = 0; recorded < 2; recorded++) {
		assert_int_equal(nri_status_find(&arena, dir.fd, recorded, &status, &err), -1);
		assert_has(err.text, row->says);
	}
}

UNIT_TEST("status: of a directory that others can write nothing is believed")
{
	WITH_DIR(dir);
	struct nri_status status;

	assert_int_equal(nri_status_find(&arena, dir.fd, true, &status, &err), 0);
	assert_int_equal(status.state, NRI_ABSENT);
	unit_write(dir.fd, NRI_STATUS_PATH, "{}", 0644);
	assert_int_equal(fchmodat(dir.fd, NRI_STATUS_DIR, 0702, 0), 0);
	assert_int_equal(nri_status_find(&arena, dir.fd, true, &status, &err), -1);
	assert_has(err.text, "/" NRI_STATUS_DIR " must belong to root alone");
}

/* ---- whether it lives ---- */

struct holder {
	int dir;
	int ready;
};

static int hold(const void *context)
{
	const struct holder *holder = context;
	struct flock lock = {.l_type = F_WRLCK};
	int fd = openat(holder->dir, NRI_STATUS_PATH NRI_STATUS_LOCK, O_RDWR);

	if (fd < 0 || fcntl(fd, F_SETLK, &lock) < 0 || write(holder->ready, "x", 1) != 1)
		return 1;
	for (;;)
		(void)pause();
}

static const struct life_case {
	const char *name;
	bool locked;
	int64_t age_ms;
	bool other; /* its root is not the reader's */
	bool first; /* same root as process 1 */
	enum nri_state want;
} life_cases[] = {
	{"status: who holds the lock lives", true, 0, false, false, NRI_SERVES},
	{"status: the node judges all", true, 0, true, true, NRI_SERVES},
	{"status: a container judges none with another root", true, 0, true, false, NRI_ABSENT},
	{"status: without a lock it has ended", false, 0, false, true, NRI_ENDED},
	{"status: one that has written nothing for long hangs", true, NRI_STATUS_OLD_MS + 1000,
	 false, true, NRI_HANGS},
};

static void give_root(const struct unit_dir *dir, struct arena *arena, int pid, const char *root)
{
	const char *path = arena_printf(arena, "proc/%d", pid);

	(void)mkdirat(dir->fd, "proc", 0755);
	assert_int_equal(mkdirat(dir->fd, path, 0755), 0);
	assert_int_equal(symlinkat(root, dir->fd, arena_printf(arena, "%s/root", path)), 0);
}

UNIT_ROWS(life_cases)
{
	WITH_DIR(dir);
	struct nri_status status;
	struct holder holder = {.dir = dir.fd};
	char byte;
	pid_t pid = 0;
	int ends[2];

	unit_write(dir.fd, NRI_STATUS_PATH NRI_STATUS_LOCK, "", 0600);
	unit_write(dir.fd, NRI_STATUS_PATH,
		   arena_printf(&arena, "{\"pid\":1,\"alive_ms\":%lld,\"connected_since\":\"x\"}",
				(long long)(clock_ms() - row->age_ms)),
		   0644);
	assert_int_equal(pipe(ends), 0);
	holder.ready = ends[1];
	if (row->locked) {
		pid = unit_start(hold, &holder);
		assert_int_equal(read(ends[0], &byte, 1), 1);
	}
	if (row->other)
		give_root(&dir, &arena, pid, "/");
	give_root(&dir, &arena, 1, row->first ? dir.path : "/");
	assert_int_equal(nri_status_find(&arena, dir.fd, false, &status, &err), 0);
	assert_int_equal(status.state, row->want);
	assert_int_equal(status.n_found, row->want != NRI_ABSENT);
	assert_int_equal(status.pid, row->want == NRI_ABSENT ? 0 : pid ? pid : 1);
	if (pid) {
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	}
	(void)close(ends[0]);
	(void)close(ends[1]);
}

/* ---- several of a node ---- */

#define CONNECTED "\"connected_since\":\"2026-11-21T20:22:43Z\""

static const struct several_case {
	const char *name;
	const char *a, *b; /* without braces */
	int64_t pid;
	unsigned n_connected;
} several_cases[] = {
	{"status: two that are connected", CONNECTED, CONNECTED, 12, 2},
	{"status: one of two is connected", "\"connected_since\":null", CONNECTED, 13, 1},
};

static void write_status(int dir, const char *path, int pid, const char *members)
{
	char text[512];

	snprintf(text, sizeof(text), "{\"pid\":%d,%s}", pid, members);
	unit_write(dir, path, text, 0644);
}

UNIT_ROWS(several_cases)
{
	WITH_DIR(dir);
	struct nri_status status;

	write_status(dir.fd, NRI_STATUS_DIR "/nri-a.json", 12, row->a);
	write_status(dir.fd, NRI_STATUS_DIR "/nri-b.json", 13, row->b);
	unit_write(dir.fd, NRI_STATUS_DIR "/a.prom", "{", 0644);
	assert_int_equal(nri_status_find(&arena, dir.fd, true, &status, &err), 0);
	assert_int_equal(status.pid, row->pid);
	assert_int_equal(status.n_found, 2);
	assert_int_equal(status.n_connected, row->n_connected);
}

int main(void)
{
	return unit_main("nri_status");
}
