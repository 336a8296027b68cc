/* SPDX-License-Identifier: Apache-2.0 */
/* System calls that are interrupted, must be retried, or do only a part: a thread answers for the
 * kernel (seccomp_unotify(2)). */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "core/base/fs.h"
#include "tests/unit/unit.h"

#define ANSWERS_MAX 4
#define TEXT "one\ntwo\n"

/* ---- what is called ---- */

static int open_file(int dir)
{
	cleanup_fd fd = fs_open(dir, "file", O_RDONLY, RESOLVE_BENEATH);

	return fd < 0 ? fd : 0;
}

static int read_file(int dir)
{
	WITH_ARENA;
	cleanup_fd fd = openat(dir, "file", O_RDONLY | O_CLOEXEC);
	struct fs_text text;

	if (fs_read(&arena, fd, 100, "thing", &text, &err) < 0)
		return strcmp(err.text, "thing: Input/output error") == 0 ? -EIO : 1;
	return strcmp(text.bytes, TEXT) == 0 ? 0 : 2;
}

static int write_file(int dir)
{
	cleanup_fd fd = openat(dir, "file", O_WRONLY | O_TRUNC | O_CLOEXEC);

	return fs_write(fd, "abcdef", 6);
}

/* ---- what is answered ---- */

struct answer {
	int error;
	int value; /* what the call claims to have done */
};

static const struct call {
	const char *name;
	int (*function)(int dir);
	int number; /* answered system call */
	struct answer answers[ANSWERS_MAX];
	int n_answers; /* one per call, then the kernel answers; 0: the first for all */
	int result;
	int calls;
	const char *left; /* in the file */
} calls[] = {
	{"open: it is tried again", open_file, SYS_openat2,
	 LIST({EAGAIN, 0}, {EINTR, 0}, {EAGAIN, 0}), 3, 0, 4, TEXT},
	{"open: but not for ever", open_file, SYS_openat2, LIST({EAGAIN, 0}), 0, -EAGAIN, 128,
	 TEXT},
	{"open: another error is one", open_file, SYS_openat2, LIST({EACCES, 0}), 0, -EACCES, 1,
	 TEXT},
	{"read: what is interrupted goes on", read_file, SYS_read, LIST({EINTR, 0}, {EINTR, 0}), 2,
	 0, 4, TEXT},
	{"read: another error is one", read_file, SYS_read, LIST({EIO, 0}), 0, -EIO, 1, TEXT},
	{"write: what is interrupted goes on", write_file, SYS_write, LIST({EINTR, 0}, {EINTR, 0}),
	 2, 0, 3, "abcdef"},
	{"write: the rest is written after a part", write_file, SYS_write,
	 LIST({0, 2}, {EINTR, 0}, {0, 1}), 3, 0, 4, "def"},
	{"write: another error is one", write_file, SYS_write, LIST({EIO, 0}), 0, -EIO, 1, ""},
};

struct caller {
	const struct call *call;
	int dir;
	int result;
	int filter;  /* -1 if the machine allows none */
	int ends[2]; /* first byte: the filter is set; end: the caller has returned */
};

/* For this thread alone. It reports by a system call that is not answered. */
static int divert(int number)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = LENGTH(filter), .filter = filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			    &program);
}

static void *run(void *context)
{
	struct caller *caller = context;

	caller->filter = divert(caller->call->number);
	(void)!send(caller->ends[1], "x", 1, MSG_NOSIGNAL);
	if (caller->filter >= 0)
		caller->result = caller->call->function(caller->dir);
	(void)shutdown(caller->ends[1], SHUT_RDWR);
	return NULL;
}

static void answer_one(int filter, const struct call *call, int n)
{
	struct seccomp_notif asked = {0};
	struct seccomp_notif_resp response = {0};

	assert_int_equal(ioctl(filter, SECCOMP_IOCTL_NOTIF_RECV, &asked), 0);
	response.id = asked.id;
	if (call->n_answers && n >= call->n_answers) {
		response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	} else {
		response.error = -call->answers[call->n_answers ? n : 0].error;
		response.val = call->answers[call->n_answers ? n : 0].value;
	}
	assert_int_equal(ioctl(filter, SECCOMP_IOCTL_NOTIF_SEND, &response), 0);
}

/* Until the caller returns. Returns the number of its calls. */
static int answer_requests(const struct caller *caller)
{
	struct pollfd fds[] = {{.fd = caller->filter, .events = POLLIN},
			       {.fd = caller->ends[0], .events = POLLIN}};

	for (int n = 0;; n++) {
		assert_true(poll(fds, LENGTH(fds), UNIT_PATIENCE * 1000) > 0);
		if (!(fds[0].revents & POLLIN))
			return n;
		answer_one(caller->filter, caller->call, n);
	}
}

UNIT_ROWS(calls)
{
	WITH_DIR(dir);
	struct caller caller = {.call = row, .dir = dir.fd, .filter = -1};
	pthread_t thread;
	char byte;

	unit_write(dir.fd, "file", TEXT, 0644);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, caller.ends), 0);
	assert_int_equal(pthread_create(&thread, NULL, run, &caller), 0);
	assert_int_equal(recv(caller.ends[0], &byte, 1, 0), 1);
	if (caller.filter >= 0)
		assert_int_equal(answer_requests(&caller), caller.call->calls);
	assert_int_equal(pthread_join(thread, NULL), 0);
	(void)close(caller.ends[0]);
	(void)close(caller.ends[1]);
	if (caller.filter < 0)
		UNIT_SKIP("filters are not allowed here");
	(void)close(caller.filter);
	assert_int_equal(caller.result, caller.call->result);
	assert_string_equal(unit_read(&arena, dir.fd, "file"), caller.call->left);
}

int main(void)
{
	return unit_main("interrupted");
}
