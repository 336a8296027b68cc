/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/nri.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/text.h"
#include "core/child.h"

/* What changes the file while we look at it ends after a few tries. */
#define TRIES_MAX 16

/* In the file. nri/nri.h says what they mean. */
struct numbers {
	uint64_t beats;
	uint64_t stage;
	uint64_t id;
	uint64_t before;
	uint64_t answered; /* written by the one before */
};
#define ANSWERED_AT offsetof(struct numbers, answered)

/* Looks at a successor that is registered, until it surely is asked */
#define SUCCEEDED_LOOKS 2

/* The bytes of the read locks, behind the numbers */
enum mark {
	MARK_WAITS = sizeof(struct numbers),
	MARK_LEAVES,
};

/* ---- the file ---- */

static bool is_roots_alone(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
	       !(st->st_mode & (S_IRWXG | S_IRWXO));
}

/* True if the name still leads to the file that we have */
static bool is_current(const struct lock *lock)
{
	struct stat named;
	struct stat ours;

	return fstatat(lock->dir, LOCK_NAME, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       fstat(lock->file, &ours) == 0 && named.st_ino == ours.st_ino &&
	       named.st_dev == ours.st_dev;
}

static void read_numbers(int file, struct numbers *ret_numbers)
{
	struct numbers numbers = {0};

	(void)!pread(file, &numbers, sizeof(numbers), 0);
	*ret_numbers = numbers;
}

/* The directory is on a tmpfs, as /run is: nothing is waited for. */
static void write_numbers(const struct lock *lock)
{
	struct numbers numbers = {lock->beats, lock->stage, lock->id, lock->before, 0};

	(void)!pwrite(lock->file, &numbers, ANSWERED_AT, 0);
}

static void stop_waiter(struct lock *lock)
{
	if (lock->waiter <= 0)
		return;
	(void)kill(lock->waiter, SIGKILL);
	(void)waitpid(lock->waiter, NULL, 0);
	lock->waiter = 0;
}

static void close_file(struct lock *lock)
{
	stop_waiter(lock);
	cleanup_close_fd(&lock->file);
	lock->file = -1;
	lock->ours = false;
	lock->stage = LOCK_CONNECTS;
	lock->marked = false;
	lock->looks = 0;
	lock->succeeded = 0;
}

static int open_dir(struct lock *lock, const char *socket, struct err *err)
{
	char parent[PATH_MAX];

	(void)snprintf(parent, sizeof(parent), "%.*s", (int)(text_base_name(socket) - socket),
		       socket);
	lock->dir = open(parent[0] ? parent : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return lock->dir < 0 ? err_sys(err, errno, "%s", socket) : 0;
}

static bool set_mark(int file, enum mark mark, short type)
{
	struct flock byte = {
		.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)mark, .l_len = 1};

	return fcntl(file, F_OFD_SETLK, &byte) == 0;
}

/* True if somebody else has set it */
static bool is_marked(int file, enum mark mark)
{
	struct flock byte = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)mark, .l_len = 1};

	return file >= 0 && fcntl(file, F_OFD_GETLK, &byte) == 0 && byte.l_type != F_UNLCK;
}

static void begin(struct lock *lock, uint64_t before)
{
	if (lock->marked)
		(void)set_mark(lock->file, MARK_WAITS, F_UNLCK);
	lock->marked = false;
	lock->ours = true;
	lock->stage = LOCK_CONNECTS;
	lock->before = before;
	lock->beats++;
	write_numbers(lock);
}

/* The last one that was registered: what connected and was closed again has answered for nothing.
 */
static uint64_t predecessor_in(int file)
{
	struct numbers numbers;

	read_numbers(file, &numbers);
	return numbers.stage == LOCK_CONNECTS && numbers.before ? numbers.before : numbers.id;
}

/* A file of ours, which we have locked, in place of what is there */
static int replace(struct lock *lock)
{
	uint64_t before = lock->file >= 0 ? predecessor_in(lock->file) : 0;
	char name[64];
	uint64_t number;

	close_file(lock);
	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		return -EAGAIN;
	(void)snprintf(name, sizeof(name), ".%s.%016" PRIx64, LOCK_NAME, number);
	lock->file = openat(lock->dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (lock->file < 0)
		return -errno;
	if (flock(lock->file, LOCK_EX | LOCK_NB) == 0 &&
	    renameat(lock->dir, name, lock->dir, LOCK_NAME) == 0) {
		begin(lock, before);
		return 0;
	}
	number = (uint64_t)errno;
	(void)unlinkat(lock->dir, name, 0);
	close_file(lock);
	return -(int)number;
}

/* Returns 0, or -errno. What is no file of root's alone is none of ours, and is replaced. */
static int open_file(struct lock *lock)
{
	struct stat st;
	int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

	lock->file = openat(lock->dir, LOCK_NAME, flags, 0600);
	if (lock->file >= 0 && fstat(lock->file, &st) == 0 && is_roots_alone(&st))
		return 0;
	return lock->file < 0 && (errno == EROFS || errno == EMFILE || errno == ENFILE ||
				  errno == ENOSPC || errno == ENOENT)
		       ? -errno
		       : replace(lock);
}

/* ---- taken ---- */

/* Returns 1, 0, or -errno: -EAGAIN where the file is no longer the one. */
static int attempt(struct lock *lock)
{
	bool busy;
	int status = lock->file < 0 ? open_file(lock) : 0;

	if (status < 0)
		return status;
	busy = flock(lock->file, LOCK_EX | LOCK_NB) < 0;
	if (busy && errno != EWOULDBLOCK)
		return -errno;
	if (!is_current(lock))
		return -EAGAIN;
	if (busy) {
		if (!lock->marked && !lock->connected)
			lock->marked = set_mark(lock->file, MARK_WAITS, F_RDLCK);
		return 0;
	}
	/* A plugin that hands over answers meanwhile; one that is connected would be asked as well.
	 */
	if (!lock->ours && lock->connected && is_marked(lock->file, MARK_LEAVES)) {
		(void)flock(lock->file, LOCK_UN);
		return 0;
	}
	if (!lock->ours)
		begin(lock, predecessor_in(lock->file));
	return 1;
}

int lock_take(struct lock *lock, const char *socket, struct err *err)
{
	int status = -EAGAIN;

	if (!lock->id && getrandom(&lock->id, sizeof(lock->id), GRND_NONBLOCK) < 0)
		lock->id = 0;
	for (int tries = 0; tries < TRIES_MAX && status == -EAGAIN; tries++) {
		if (lock->dir < 0 && open_dir(lock, socket, err) < 0)
			return -1;
		status = attempt(lock);
		if (status < 0)
			lock_drop(lock);
	}
	if (status >= 0)
		return status;
	return err_sys(err, -status,
		       "%.*s" LOCK_NAME
		       " cannot be locked, which keeps a second plugin from answering as well",
		       (int)(text_base_name(socket) - socket), socket);
}

/* ---- awaited ---- */

void lock_wait(struct lock *lock)
{
	const int *const closed[CHILD_CLOSED] = {0};
	pid_t child = lock->waiter ? -1 : child_fork(closed);

	if (child == 0) {
		/* The lock belongs to the open file, which is the parent's as well. */
		while (flock(lock->file, LOCK_EX) < 0 && errno == EINTR)
			;
		_exit(0);
	}
	if (child > 0)
		lock->waiter = child;
}

bool lock_waited(struct lock *lock)
{
	if (lock->waiter <= 0 || waitpid(lock->waiter, NULL, WNOHANG) == 0)
		return false;
	lock->waiter = 0;
	return true;
}

bool lock_watch(struct lock *lock)
{
	struct numbers seen;

	if (lock_waited(lock) || !is_current(lock))
		return true;
	read_numbers(lock->file, &seen);
	lock->looks = seen.beats == lock->beats ? lock->looks + 1 : 0;
	lock->beats = seen.beats;
	if (lock->looks < LOCK_LOOKS)
		return !lock->waiter;
	(void)replace(lock);
	return true;
}

bool lock_is_awaited(const struct lock *lock)
{
	return is_marked(lock->file, MARK_WAITS);
}

/* ---- held ---- */

bool lock_is_held(const struct lock *lock)
{
	return lock->ours && is_current(lock);
}

void lock_beat(struct lock *lock)
{
	if (!lock->ours)
		return;
	lock->beats++;
	write_numbers(lock);
}

static void set_stage(struct lock *lock, enum lock_stage stage)
{
	lock->stage = stage;
	if (lock->ours)
		write_numbers(lock);
}

void lock_serve(struct lock *lock)
{
	set_stage(lock, LOCK_REGISTERED);
}

/* The file that has the name, and its numbers. Returns its descriptor; -1: somebody has removed it.
 */
static int open_current(const struct lock *lock, struct numbers *ret_numbers)
{
	int file = openat(lock->dir, LOCK_NAME, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (file >= 0)
		read_numbers(file, ret_numbers);
	return file;
}

/* By the one before: until the successor is asked, this one answers. */
static bool answers_meanwhile(const struct lock *lock, uint64_t container)
{
	struct numbers numbers;
	cleanup_fd file = open_current(lock, &numbers);
	bool is_before;

	if (file < 0)
		return lock->ours;
	/* A holder that leaves answers by itself, before its own successor does. */
	is_before = numbers.before == lock->id && numbers.stage != LOCK_LEAVES;
	if (numbers.stage == LOCK_ASKED || (numbers.id != lock->id && !is_before))
		return false;
	(void)!pwrite(file, &container, sizeof(container), (off_t)ANSWERED_AT);
	return true;
}

bool lock_answers(struct lock *lock, uint64_t container)
{
	struct numbers numbers;

	if (lock->dir < 0)
		return true;
	if (!lock_is_held(lock))
		return answers_meanwhile(lock, container);
	if (lock->stage == LOCK_ASKED)
		return true;
	set_stage(lock, LOCK_ASKED);
	read_numbers(lock->file, &numbers);
	return lock->connected || !container || numbers.answered != container;
}

bool lock_is_succeeded(struct lock *lock)
{
	struct numbers numbers;
	cleanup_fd file = lock_is_held(lock) ? -1 : open_current(lock, &numbers);

	if (file < 0 || numbers.id == lock->id || numbers.stage == LOCK_CONNECTS)
		lock->succeeded = 0;
	else if (numbers.before != lock->id || numbers.stage >= LOCK_ASKED)
		return true;
	else
		lock->succeeded++;
	return lock->succeeded >= SUCCEEDED_LOOKS;
}

bool lock_has_successor(const struct lock *lock)
{
	struct numbers ignored;
	cleanup_fd file = open_current(lock, &ignored);

	if (file < 0)
		return false;
	/* If nobody has it, it is ours until the descriptor is closed. */
	return is_marked(file, MARK_WAITS) ||
	       (flock(file, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK);
}

void lock_hand_over(struct lock *lock)
{
	if (!lock->ours)
		return;
	set_stage(lock, LOCK_LEAVES);
	(void)set_mark(lock->file, MARK_LEAVES, F_RDLCK);
	lock->ours = false;
	(void)flock(lock->file, LOCK_UN);
}

void lock_drop(struct lock *lock)
{
	close_file(lock);
	cleanup_close_fd(&lock->dir);
	lock->dir = -1;
}

/*
 * What is ours is given up first, then what others have is looked at. So of two that end at a time
 * the later one sees that the other has nothing, even if that one did not see it. A plugin that
 * hands over answers until its end, and removes the file then.
 */
static bool is_last(struct lock *lock)
{
	stop_waiter(lock);
	(void)set_mark(lock->file, MARK_WAITS, F_UNLCK);
	(void)set_mark(lock->file, MARK_LEAVES, F_UNLCK);
	(void)flock(lock->file, LOCK_UN);
	return !lock_is_awaited(lock) && !is_marked(lock->file, MARK_LEAVES) &&
	       flock(lock->file, LOCK_EX | LOCK_NB) == 0 && is_current(lock);
}

void lock_end(struct lock *lock)
{
	if (lock->file >= 0 && is_last(lock))
		(void)unlinkat(lock->dir, LOCK_NAME, 0);
	lock_drop(lock);
}
