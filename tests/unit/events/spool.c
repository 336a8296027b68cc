/* SPDX-License-Identifier: Apache-2.0 */
/* The records, as they are read from their directory */
#include "denied.h"

#include "events/spool.h"

struct heard {
	char ids[8][16];
	int n;
	int failed;
};

static void hear(void *context, const struct refusal *refusal)
{
	struct heard *heard = context;

	(void)snprintf(heard->ids[heard->n++], sizeof(heard->ids[0]), "%s", refusal->id);
}

static void hear_failure(void *context, const struct err *err)
{
	struct heard *heard = context;

	assert_one_line(err);
	heard->failed++;
}

static void leave(const struct unit_dir *dir, const char *id)
{
	struct refusal refusal = denied;
	struct err err;

	refusal.id = id;
	assert_int_equal(refusal_leave(dir->path, &refusal, &err), 0);
}

UNIT_TEST("each record is read once, the oldest first")
{
	WITH_DIR(dir);
	cleanup_spool spool = SPOOL_NONE;
	static const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	struct heard heard = {0};
	const struct spool_handler handler = {hear, hear_failure, &heard};

	assert_int_equal(spool_open(&spool, dir.path, &err), -1);
	assert_has(err.text, "mkdir");
	assert_int_equal(mkdirat(dir.fd, "run", 0755), 0);
	leave(&dir, "a");
	leave(&dir, "b");
	assert_int_equal(utimensat(dir.fd, REFUSAL_DIR "/b.denied.json", long_ago, 0), 0);
	unit_write(dir.fd, REFUSAL_DIR "/bad.json", "{", 0600);
	assert_int_equal(spool_open(&spool, dir.path, &err), 0);
	unit_write(dir.fd, REFUSAL_DIR "/.half.json", "{", 0600); /* not whole yet */
	assert_int_equal(spool_read_new(&spool, &handler, &err), 0);
	assert_int_equal(heard.failed, 0);
	spool_close(&spool);
	assert_int_equal(spool_open(&spool, dir.path, &err), 0);
	assert_int_equal(spool_read_all(&spool, &handler, &err), 3);
	assert_int_equal(heard.n, 2);
	assert_int_equal(heard.failed, 1);
	assert_string_equal(heard.ids[0], "b"); /* the oldest first */
	assert_string_equal(heard.ids[1], "a");
	assert_int_equal(spool_read_new(&spool, &handler, &err), 0);
	assert_int_equal(heard.n, 2);
	leave(&dir, "c");
	assert_int_equal(spool_read_new(&spool, &handler, &err), 0);
	assert_int_equal(heard.n, 3);
	assert_string_equal(heard.ids[2], "c");
	leave(&dir, "c"); /* in place of the one before */
	assert_int_equal(spool_read_new(&spool, &handler, &err), 0);
	assert_int_equal(heard.n, 4);
}

UNIT_TEST("without its directory the reading ends")
{
	WITH_DIR(dir);
	cleanup_spool spool = SPOOL_NONE;
	struct heard heard = {0};
	const struct spool_handler handler = {hear, hear_failure, &heard};

	assert_int_equal(mkdirat(dir.fd, "run", 0755), 0);
	leave(&dir, "a");
	assert_int_equal(spool_open(&spool, dir.path, &err), 0);
	assert_int_equal(unlinkat(dir.fd, REFUSAL_DIR "/a.denied.json", 0), 0);
	assert_int_equal(unlinkat(dir.fd, REFUSAL_DIR, AT_REMOVEDIR), 0);
	assert_int_equal(spool_read_new(&spool, &handler, &err), -1);
	assert_has(err.text, "was removed");
}

int main(void)
{
	return unit_main("spool");
}
