/* SPDX-License-Identifier: Apache-2.0 */
/* Which of several plugins on a node answers */
#include "tests/unit/unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "nri/nri.h"

/* Until the next call */
static const char *socket_in(const struct unit_dir *dir)
{
	static char path[sizeof(dir->path) + sizeof("/nri.sock")];

	(void)snprintf(path, sizeof(path), "%s/nri.sock", dir->path);
	return path;
}

static int take(struct lock *lock, const char *socket)
{
	struct err err = {0};

	return lock_take(lock, socket, &err);
}

/* Asked about a container that nobody was asked about before */
static bool answers(struct lock *lock)
{
	static uint64_t container;

	return lock_answers(lock, ++container);
}

/* A second one of the same process stands for another plugin: the locks belong to open files. */
static void has_one_holder(const char *socket)
{
	struct lock first = LOCK_NONE;
	struct lock second = LOCK_NONE;

	assert_int_equal(take(&first, socket), 1);
	assert_int_equal(take(&first, socket), 1);
	assert_int_equal(take(&second, socket), 0);
	assert_true(answers(&first));
	lock_serve(&first);
	assert_true(lock_answers(&first, 0));
	assert_true(answers(&first));
	assert_false(answers(&second));
	lock_drop(&first);
	assert_int_equal(take(&second, socket), 1);
	lock_drop(&second);
}

static const struct mode_case {
	const char *name;
	mode_t mode;
} mode_cases[] = {
	{"lock: a directory that only its owner can open", 0700},
	{"lock: one that its group may list", 0740},
	{"lock: one that its group may write to", 0770},
	{"lock: one that others may enter", 0711},
	{"lock: one that others may list", 0755},
	{"lock: one that others may write to", 0777},
	{"lock: one like /tmp", 01777},
};

static void whatever_the_directorys_mode_is(void **state)
{
	const struct mode_case *row = *state;
	cleanup_unit_dir dir = unit_dir_make();

	assert_int_equal(fchmod(dir.fd, row->mode), 0);
	has_one_holder(socket_in(&dir));
	assert_int_equal(unit_stat(dir.fd, LOCK_NAME).st_mode & 07777, 0600);
}

/* What others could open, and hold, is replaced. */
static void a_file_that_is_not_roots_alone_is_replaced(void **state)
{
	static const mode_t modes[] = {0640, 0604, 0666};
	cleanup_unit_dir dir = unit_dir_make();
	const char *socket = socket_in(&dir);

	(void)state;
	for (size_t i = 0; i < LENGTH(modes); i++) {
		cleanup_fd theirs = -1;

		unit_write(dir.fd, LOCK_NAME, "", modes[i]);
		assert_int_equal(fchmodat(dir.fd, LOCK_NAME, modes[i], 0), 0);
		theirs = openat(dir.fd, LOCK_NAME, O_RDONLY | O_CLOEXEC);
		assert_int_equal(flock(theirs, LOCK_EX | LOCK_NB), 0);
		has_one_holder(socket);
		assert_int_equal(unit_stat(dir.fd, LOCK_NAME).st_mode & 07777, 0600);
	}
	assert_int_equal(unlinkat(dir.fd, LOCK_NAME, 0), 0);
	assert_int_equal(symlinkat("elsewhere", dir.fd, LOCK_NAME), 0);
	has_one_holder(socket);
	assert_int_equal(faccessat(dir.fd, "elsewhere", F_OK, 0), -1);
	assert_int_equal(unlinkat(dir.fd, LOCK_NAME, 0), 0);
	assert_int_equal(mkfifoat(dir.fd, LOCK_NAME, 0600), 0);
	has_one_holder(socket);
	assert_true(S_ISREG(unit_stat(dir.fd, LOCK_NAME).st_mode));
	if (geteuid() != 0)
		return;
	assert_int_equal(fchownat(dir.fd, LOCK_NAME, 12345, 12345, 0), 0);
	has_one_holder(socket);
	assert_int_equal(unit_stat(dir.fd, LOCK_NAME).st_uid, 0);
}

static void what_cannot_be_locked_is_said(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_arena arena = {0};
	struct lock lock = LOCK_NONE;
	struct err err = {0};

	(void)state;
	assert_int_equal(
		lock_take(&lock, arena_printf(&arena, "%s/absent/nri.sock", dir.path), &err), -1);
	assert_has(err.text, "/absent/nri.sock: No such file or directory");
	assert_int_equal(mkdirat(dir.fd, LOCK_NAME, 0700), 0);
	assert_int_equal(lock_take(&lock, socket_in(&dir), &err), -1);
	assert_has(err.text, LOCK_NAME " cannot be locked");
	assert_has(err.text, "Is a directory");
	/* Then no other plugin can be connected. */
	assert_true(answers(&lock));
}

static void a_name_alone_is_of_the_working_directory(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_fd before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_int_equal(fchdir(dir.fd), 0);
	has_one_holder("nri.sock");
	assert_int_equal(fchdir(before), 0);
	assert_int_equal(faccessat(dir.fd, LOCK_NAME, F_OK, 0), 0);
}

/* ---- awaited ---- */

/* A plugin of its own, which holds the lock until it is killed; serving: and is asked */
static pid_t begin_holder(const char *socket, bool serving)
{
	int ends[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct lock lock = LOCK_NONE;

		if (take(&lock, socket) != 1)
			_exit(1);
		if (serving)
			lock_serve(&lock);
		(void)!write(ends[1], "x", 1);
		for (;;) {
			const struct timespec pause = {.tv_nsec = 10 * 1000000L};

			(void)nanosleep(&pause, NULL);
			lock_beat(&lock);
		}
	}
	(void)close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	(void)close(ends[0]);
	return pid;
}

/* No look is needed: the end of the child is the event. */
static void a_holder_that_is_killed_is_followed_at_once(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	const char *socket = socket_in(&dir);
	struct lock lock = LOCK_NONE;
	siginfo_t info;
	pid_t holder = begin_holder(socket, true);

	(void)state;
	assert_int_equal(take(&lock, socket), 0);
	lock_wait(&lock);
	assert_true(lock.waiter > 0);
	assert_false(lock_waited(&lock));
	assert_false(answers(&lock));
	(void)alarm(UNIT_PATIENCE);
	assert_int_equal(kill(holder, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)lock.waiter, &info, WEXITED | WNOWAIT), 0);
	assert_true(lock_waited(&lock));
	assert_int_equal(take(&lock, socket), 1);
	(void)alarm(0);
	assert_int_equal(waitpid(holder, NULL, 0), holder);
	lock_drop(&lock);
}

/* Looks until the lock is to be tried; returns how many */
static int look(struct lock *lock, int at_most)
{
	int looks = 1;

	while (!lock_watch(lock) && looks < at_most)
		looks++;
	return looks;
}

static void a_holder_that_works_keeps_it(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	const char *socket = socket_in(&dir);
	struct lock holder = LOCK_NONE;
	struct lock lock = LOCK_NONE;

	(void)state;
	assert_int_equal(take(&holder, socket), 1);
	assert_int_equal(take(&lock, socket), 0);
	lock_wait(&lock);
	for (int i = 0; i < 10 * LOCK_LOOKS; i++) {
		assert_false(lock_watch(&lock));
		lock_beat(&holder);
	}
	assert_true(answers(&holder));
	/* Nor is a child left, or taken for one that waits when it does so again. */
	lock_drop(&lock);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_false(lock_waited(&lock));
	assert_int_equal(take(&lock, socket), 0);
	lock_wait(&lock);
	assert_false(lock_waited(&lock));
	lock_drop(&lock);
	lock_drop(&holder);
}

/* Registered, but not asked yet: whoever is asked first about the container that both are asked
 * about. */
static void one_of_both_answers(struct lock *before, struct lock *next)
{
	assert_true(answers(before));
	assert_true(lock_answers(before, 7));
	assert_false(lock_answers(next, 7));
	assert_false(answers(before));
	assert_true(answers(next));
	/* If its creation failed, the engine may ask about it again: there is nobody else now. */
	assert_true(lock_answers(next, 7));
}

/* Without a container to ask about, two looks say that the successor is there. */
static void one_that_is_not_asked_is_waited_for(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	const char *socket = socket_in(&dir);
	struct lock leaves = LOCK_NONE;
	struct lock next = LOCK_NONE;

	(void)state;
	assert_int_equal(take(&leaves, socket), 1);
	lock_serve(&leaves);
	assert_false(lock_is_succeeded(&leaves));
	assert_int_equal(take(&next, socket), 0);
	lock_hand_over(&leaves);
	assert_false(lock_is_succeeded(&leaves));
	assert_false(lock_is_succeeded(&leaves));
	assert_int_equal(take(&next, socket), 1);
	assert_false(lock_is_succeeded(&leaves));
	lock_serve(&next);
	assert_false(lock_is_succeeded(&leaves));
	assert_true(lock_is_succeeded(&leaves));
	assert_false(lock_is_succeeded(&next));
	/* Asked first, the successor answers. */
	assert_true(lock_answers(&next, 8));
	assert_false(lock_answers(&leaves, 8));
	lock_drop(&leaves);
	lock_drop(&next);
}

/* What it saw of the first successor does not count for the second. */
static void each_successor_is_looked_at_anew(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	const char *socket = socket_in(&dir);
	struct lock leaves = LOCK_NONE;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct lock next = LOCK_NONE;

		assert_int_equal(take(&leaves, socket), 1);
		lock_serve(&leaves);
		lock_hand_over(&leaves);
		assert_int_equal(take(&next, socket), 1);
		lock_serve(&next);
		assert_false(lock_is_succeeded(&leaves));
		lock_drop(&leaves);
		lock_drop(&next);
	}
}

/* A file that is removed is nobody's, so there is no successor that could be asked. */
static void without_a_file_nobody_succeeds(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	struct lock leaves = LOCK_NONE;

	(void)state;
	assert_int_equal(take(&leaves, socket_in(&dir)), 1);
	lock_serve(&leaves);
	lock_hand_over(&leaves);
	assert_int_equal(unlinkat(dir.fd, LOCK_NAME, 0), 0);
	for (int i = 0; i < 4; i++)
		assert_false(lock_is_succeeded(&leaves));
	lock_drop(&leaves);
}

/* The new holder has as many beats as the one that hung had. */
static void a_new_holder_is_looked_at_anew(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	const char *socket = socket_in(&dir);
	struct lock hung = LOCK_NONE;
	struct lock holder = LOCK_NONE;
	struct lock lock = LOCK_NONE;

	(void)state;
	assert_int_equal(take(&hung, socket), 1);
	assert_int_equal(take(&lock, socket), 0);
	lock_wait(&lock);
	for (int i = 0; i < LOCK_LOOKS; i++)
		assert_false(lock_watch(&lock));
	assert_int_equal(unlinkat(dir.fd, LOCK_NAME, 0), 0);
	assert_int_equal(take(&holder, socket), 1);
	assert_true(lock_watch(&lock));
	assert_int_equal(take(&lock, socket), 0);
	lock_wait(&lock);
	assert_false(lock_watch(&lock));
	assert_true(lock_is_held(&holder));
	lock_drop(&lock);
	lock_drop(&holder);
	lock_drop(&hung);
}

/* The one that hung answers until the other is about to be asked, and no longer. */
static void a_holder_that_hangs_loses_it(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	const char *socket = socket_in(&dir);
	struct lock hung = LOCK_NONE;
	struct lock next = LOCK_NONE;
	struct lock third = LOCK_NONE;

	(void)state;
	assert_int_equal(take(&hung, socket), 1);
	lock_serve(&hung);
	assert_int_equal(take(&next, socket), 0);
	assert_int_equal(take(&third, socket), 0);
	lock_wait(&next);
	assert_int_equal(look(&next, 100), LOCK_LOOKS + 1);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child waits any more */
	assert_int_equal(take(&next, socket), 1);
	assert_true(answers(&hung));
	assert_false(lock_is_succeeded(&hung));
	lock_serve(&next);
	one_of_both_answers(&hung, &next);
	assert_true(lock_is_succeeded(&hung));
	lock_beat(&hung);
	assert_false(answers(&hung));
	/* Another that waited for the old file waits for the new one. */
	assert_true(lock_watch(&third));
	assert_int_equal(take(&third, socket), 0);
	assert_true(lock_is_awaited(&next));
	lock_drop(&hung);
	assert_int_equal(take(&third, socket), 0);
	lock_drop(&next);
	assert_int_equal(take(&third, socket), 1);
	lock_drop(&third);
}

/* A file that somebody has removed belongs to nobody. */
static void a_file_that_is_removed_is_made_again(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	const char *socket = socket_in(&dir);
	struct lock first = LOCK_NONE;
	struct lock second = LOCK_NONE;

	(void)state;
	assert_int_equal(take(&first, socket), 1);
	lock_serve(&first);
	assert_int_equal(unlinkat(dir.fd, LOCK_NAME, 0), 0);
	assert_true(answers(&first));
	assert_int_equal(take(&second, socket), 1);
	assert_false(answers(&first));
	assert_true(answers(&second));
	assert_int_equal(take(&first, socket), 0);
	lock_drop(&first);
	lock_drop(&second);
}

/* ---- handed over ---- */

static void is_handed_over_without_a_gap(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	const char *socket = socket_in(&dir);
	struct lock leaves = LOCK_NONE;
	struct lock next = LOCK_NONE;

	(void)state;
	assert_int_equal(take(&leaves, socket), 1);
	lock_serve(&leaves);
	assert_false(lock_is_awaited(&leaves));
	assert_int_equal(take(&next, socket), 0);
	assert_true(lock_is_awaited(&leaves));
	lock_hand_over(&leaves);
	assert_true(lock_has_successor(&leaves));
	assert_true(answers(&leaves));
	assert_int_equal(take(&next, socket), 1);
	assert_true(lock_has_successor(&leaves));
	assert_false(lock_is_awaited(&next));
	assert_true(answers(&leaves));
	lock_serve(&next);
	one_of_both_answers(&leaves, &next);
	assert_true(lock_is_succeeded(&leaves));
	lock_end(&leaves);
	assert_int_equal(faccessat(dir.fd, LOCK_NAME, F_OK, 0), 0);
	lock_end(&next);
	assert_int_equal(faccessat(dir.fd, LOCK_NAME, F_OK, 0), -1);
}

/* Whatever the next one does in between, the one before does not keep it from the lock. */
static void a_successor_that_goes_is_none(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	const char *socket = socket_in(&dir);
	struct lock leaves = LOCK_NONE;
	struct lock next = LOCK_NONE;

	(void)state;
	assert_int_equal(take(&leaves, socket), 1);
	assert_int_equal(take(&next, socket), 0);
	lock_hand_over(&leaves);
	lock_drop(&next);
	assert_false(lock_has_successor(&leaves));
	assert_int_equal(take(&next, socket), 1);
	assert_true(lock_has_successor(&leaves));
	lock_drop(&next);
	assert_false(lock_has_successor(&leaves));
	assert_int_equal(unlinkat(dir.fd, LOCK_NAME, 0), 0);
	assert_false(lock_has_successor(&leaves));
	lock_end(&leaves);
}

/* l: the holder ends, n: the one that waits ends, h: the holder hands over */
static const struct end_case {
	const char *name;
	const char *steps;
} end_cases[] = {
	{"lock: both end, the one that waits first", "nl"},
	{"lock: both end, the holder first", "ln"},
	{"lock: both end, the one that waits while it is handed over", "hnl"},
	{"lock: both end, the holder first, which has handed over", "hln"},
};

/* systemd stops both at a time: whichever ends last takes the file away. */
static void both_that_end_leave_no_file(void **state)
{
	const struct end_case *row = *state;
	cleanup_unit_dir dir = unit_dir_make();
	const char *socket = socket_in(&dir);
	struct lock leaves = LOCK_NONE;
	struct lock next = LOCK_NONE;

	assert_int_equal(take(&leaves, socket), 1);
	assert_int_equal(take(&next, socket), 0);
	lock_wait(&next);
	for (const char *step = row->steps; *step; step++) {
		if (*step == 'h')
			lock_hand_over(&leaves);
		else
			lock_end(*step == 'l' ? &leaves : &next);
		/* While it hands over it answers, and says so in the file. */
		if (step[1])
			assert_int_equal(faccessat(dir.fd, LOCK_NAME, F_OK, 0), 0);
	}
	assert_int_equal(faccessat(dir.fd, LOCK_NAME, F_OK, 0), -1);
}

/* Its successor's successor does not wait for its answers, nor does anybody else's. */
static void one_predecessor_answers(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	const char *socket = socket_in(&dir);
	struct lock hung[3] = {LOCK_NONE, LOCK_NONE, LOCK_NONE};

	(void)state;
	for (size_t i = 0; i < LENGTH(hung); i++) {
		assert_int_equal(take(&hung[i], socket), i == 0);
		if (i) {
			lock_wait(&hung[i]);
			(void)look(&hung[i], 100);
			assert_int_equal(take(&hung[i], socket), 1);
		}
		lock_serve(&hung[i]);
		assert_int_equal(i > 0 && answers(&hung[i - 1]), i > 0);
	}
	assert_false(answers(&hung[0]));
	assert_true(answers(&hung[1]));
	assert_true(answers(&hung[2]));
	for (size_t i = 0; i < LENGTH(hung); i++)
		lock_drop(&hung[i]);
}

/* It is asked already, so it may not begin while the one that leaves still answers. */
static void a_connected_one_takes_what_is_free(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	const char *socket = socket_in(&dir);
	struct lock leaves = LOCK_NONE;
	struct lock launched = LOCK_NONE;

	(void)state;
	launched.connected = true;
	assert_int_equal(take(&leaves, socket), 1);
	assert_int_equal(take(&launched, socket), 0);
	assert_false(answers(&launched));
	assert_false(lock_is_awaited(&leaves));
	lock_hand_over(&leaves);
	assert_int_equal(take(&launched, socket), 0);
	assert_false(answers(&launched));
	assert_true(answers(&leaves));
	lock_drop(&leaves);
	assert_int_equal(take(&launched, socket), 1);
	assert_true(answers(&launched));
	lock_drop(&launched);
}

/* A successor that was never registered has answered for nothing: the one before it still does. */
static void a_successor_that_tries_again(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	const char *socket = socket_in(&dir);
	struct lock leaves = LOCK_NONE;
	struct lock next = LOCK_NONE;
	struct lock third = LOCK_NONE;

	(void)state;
	assert_int_equal(take(&leaves, socket), 1);
	lock_serve(&leaves);
	lock_hand_over(&leaves);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(take(&next, socket), 1);
		assert_true(answers(&leaves));
		lock_drop(&next);
	}
	assert_int_equal(take(&third, socket), 1);
	assert_true(answers(&leaves));
	lock_serve(&third);
	one_of_both_answers(&leaves, &third);
	lock_drop(&third);
	lock_drop(&leaves);
}

/* Two that leave one after the other, and neither is gone yet */
static void one_of_two_that_leave_answers(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	const char *socket = socket_in(&dir);
	struct lock first = LOCK_NONE;
	struct lock second = LOCK_NONE;

	(void)state;
	assert_int_equal(take(&first, socket), 1);
	lock_serve(&first);
	lock_hand_over(&first);
	assert_int_equal(take(&second, socket), 1);
	lock_serve(&second);
	lock_hand_over(&second);
	assert_false(answers(&first));
	assert_true(answers(&second));
	assert_true(lock_is_succeeded(&first));
	assert_false(lock_is_succeeded(&second));
	lock_drop(&first);
	lock_drop(&second);
}

/* While it is handed over, it is for one that waits. */
static void a_connected_one_keeps_it_from_nobody(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	const char *socket = socket_in(&dir);
	struct lock leaves = LOCK_NONE;
	struct lock launched = LOCK_NONE;
	struct lock waits = LOCK_NONE;

	(void)state;
	launched.connected = true;
	assert_int_equal(take(&leaves, socket), 1);
	lock_hand_over(&leaves);
	assert_int_equal(take(&launched, socket), 0);
	assert_int_equal(take(&waits, socket), 1);
	lock_drop(&waits);
	lock_drop(&launched);
	lock_drop(&leaves);
}

/* Its child waits for a file that nobody finds any more. */
static void one_that_waits_sees_a_removal(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	const char *socket = socket_in(&dir);
	struct lock first = LOCK_NONE;
	struct lock second = LOCK_NONE;

	(void)state;
	assert_int_equal(take(&first, socket), 1);
	assert_int_equal(take(&second, socket), 0);
	lock_wait(&second);
	lock_beat(&first);
	assert_false(lock_watch(&second));
	assert_int_equal(unlinkat(dir.fd, LOCK_NAME, 0), 0);
	lock_beat(&first);
	assert_true(lock_watch(&second));
	lock_drop(&second);
	lock_drop(&first);
}

int main(void)
{
	static struct unit_suite suite;

	UNIT_TABLE(&suite, whatever_the_directorys_mode_is, mode_cases);
	UNIT_TABLE(&suite, both_that_end_leave_no_file, end_cases);
	unit_add(&suite, "lock: a file that others could open is replaced",
		 a_file_that_is_not_roots_alone_is_replaced, NULL);
	unit_add(&suite, "lock: what cannot be locked is said", what_cannot_be_locked_is_said,
		 NULL);
	unit_add(&suite, "lock: a name alone is of the working directory",
		 a_name_alone_is_of_the_working_directory, NULL);
	unit_add(&suite, "lock: a holder that is killed is followed at once",
		 a_holder_that_is_killed_is_followed_at_once, NULL);
	unit_add(&suite, "lock: a holder that works keeps it", a_holder_that_works_keeps_it, NULL);
	unit_add(&suite, "lock: a holder that hangs loses it", a_holder_that_hangs_loses_it, NULL);
	unit_add(&suite, "lock: a file that is removed is made again",
		 a_file_that_is_removed_is_made_again, NULL);
	unit_add(&suite, "lock: it is handed over without a gap", is_handed_over_without_a_gap,
		 NULL);
	unit_add(&suite, "lock: a successor that goes is none", a_successor_that_goes_is_none,
		 NULL);
	unit_add(&suite, "lock: a successor that is not asked is waited for",
		 one_that_is_not_asked_is_waited_for, NULL);
	unit_add(&suite, "lock: each successor is looked at anew", each_successor_is_looked_at_anew,
		 NULL);
	unit_add(&suite, "lock: without a file nobody succeeds", without_a_file_nobody_succeeds,
		 NULL);
	unit_add(&suite, "lock: a new holder is looked at anew", a_new_holder_is_looked_at_anew,
		 NULL);
	unit_add(&suite, "lock: of several that hung, the last one answers",
		 one_predecessor_answers, NULL);
	unit_add(&suite, "lock: a launched plugin takes it when it is free",
		 a_connected_one_takes_what_is_free, NULL);
	unit_add(&suite, "lock: a successor that tries again", a_successor_that_tries_again, NULL);
	unit_add(&suite, "lock: one of two that leave answers", one_of_two_that_leave_answers,
		 NULL);
	unit_add(&suite, "lock: …and keeps one that is handed over from nobody",
		 a_connected_one_keeps_it_from_nobody, NULL);
	unit_add(&suite, "lock: one that waits sees that the file is removed",
		 one_that_waits_sees_a_removal, NULL);
	return unit_run(&suite, "nri_lock");
}
