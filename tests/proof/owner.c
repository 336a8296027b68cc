/* SPDX-License-Identifier: Apache-2.0 */
/* process_open() and process_raise_memlock() while the process may end, and its pid come to mean
 * another, between any two system calls; each call may fail. /proc tells the truth about the
 * process that a directory of it was opened for. By the cgroup alone: no process is a child of
 * ours. */
#include "core/process/memlock.c"
#include "core/process/process.c"

#include "tests/proof/any.h"

#define PROCESSES 4

static int holder;               /* which process has the pid now */
static int last_holder;          /* the pid stays this one's */
static bool is_ours[PROCESSES];  /* it is in the container's cgroup */
static uint64_t soft[PROCESSES]; /* its limit */
static int held = -1;            /* the process of the pidfd */
static int of_proc = -1;         /* the process of the open directory of /proc */
static bool seen_alive;          /* the last call showed that the pidfd's process lived */
static int changed = -1;         /* whose limit was set */

/* Time passes: the process ends, and another gets its pid. */
static void pass(void)
{
	if (holder < last_holder)
		holder += nondet_bool();
	seen_alive = false;
}

long syscall(long number, ...)
{
	pass();
	errno = nondet_bool() ? ESRCH : EPERM;
	if (nondet_bool())
		return -1;
	held = holder;
	return 3;
}

int openat(int dir, const char *path, int flags, ...)
{
	pass();
	errno = nondet_bool() ? ENOENT : EACCES;
	if (nondet_bool())
		return -1;
	of_proc = holder;
	return 4;
}

int fstatfs(int fd, struct statfs *fs)
{
	pass();
	fs->f_type = nondet_bool() ? PROC_SUPER_MAGIC : 0;
	return nondet_bool() ? 0 : -1;
}

int fs_open(int dir, const char *path, int flags, uint64_t resolve)
{
	pass();
	return dir == 4 && of_proc == holder && nondet_bool() ? 5 : -1;
}

int fs_read(struct arena *arena, int fd, size_t max, const char *what, struct fs_text *ret_text,
	    struct err *err)
{
	pass();
	ret_text->bytes = is_ours[of_proc] ? "/a-1\n" : "/a-2\n";
	return of_proc == holder && nondet_bool() ? 0 : -1;
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	pass();
	fds->revents = held != holder ? POLLIN : 0;
	seen_alive = held == holder;
	return fds->revents != 0;
}

int prlimit64(pid_t pid, enum __rlimit_resource resource, const struct rlimit64 *new,
	      struct rlimit64 *old)
{
	if (new) {
		prove(seen_alive, "nothing happens between the look at the process and the change");
		pass();
	} else {
		pass();
	}
	errno = nondet_bool() ? ESRCH : EPERM;
	if (nondet_bool())
		return -1;
	if (old)
		*old = (struct rlimit64){soft[holder], soft[holder]};
	if (new) {
		changed = holder;
		prove(holder != held || new->rlim_cur >= soft[holder],
		      "no limit of the container's process is lowered");
	}
	return 0;
}

bool text_starts_with(const char *text, const char *prefix)
{
	return false;
}

/* CBMC has none of these. */
char *strstr(const char *text, const char *part)
{
	for (; *text; text++) {
		if (*text == *part)
			return (char *)text;
	}
	return NULL;
}

void *memrchr(const void *text, int c, size_t n)
{
	while (n-- > 0) {
		if (((const char *)text)[n] == c)
			return (char *)text + n;
	}
	return NULL;
}

size_t strspn(const char *text, const char *set)
{
	return 0;
}

STUB(pid_t, getppid, (void), 2)
STUB(ssize_t, read, (int fd, void *bytes, size_t n), -1)
STUB(int, err_sys, (struct err * err, int errnum, const char *format, ...), -1)
STUB(void, arena_free, (struct arena * arena), (void)0)
STUB(void, cleanup_close_fd, (const int *fd), (void)0)
STUB(int, snprintf, (char *text, size_t size, const char *format, ...), 0)

int main(void)
{
	int64_t pid = nondet_int64();
	int pidfd = -1;
	bool told = false;
	struct err err;
	uint64_t bytes = nondet_uint64();

	last_holder = nondet_int();
	assume(last_holder >= 0 && last_holder < PROCESSES);
	for (int i = 0; i < PROCESSES; i++) {
		is_ours[i] = nondet_bool();
		soft[i] = nondet_uint64();
	}
	if (process_open(pid, "1", NULL, &pidfd, &err) <= 0)
		return 0;
	prove(pid > 1, "neither we nor init");
	prove(pidfd == 3 && is_ours[held], "the pidfd is a process of the container");
	if (process_raise_memlock((pid_t)pid, pidfd, bytes, &told, &err) < 0)
		return 0;
	prove(!told || changed == held, "a change is told of the container's process alone");
	return 0;
}
