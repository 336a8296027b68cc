/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch OUT INPUT PROGRAM [ARG…]: runs the program once with INPUT as its stdin and nothing as its
 * stdout, and writes into OUT, as one line, the nanoseconds from vfork(2) to its end, the most
 * memory that it had (KiB), its minor page faults, and its wait status.
 *
 * A program of its own, and a small one: a child begins with its parent's peak of memory
 * (fs/exec.c, exec_mmap()), and Python's is larger than what is measured.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static long long now(void)
{
	struct timespec time;

	if (clock_gettime(CLOCK_MONOTONIC, &time) < 0)
		die("clock_gettime");
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void redirect(const char *path, int flags, int to)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0 || dup2(fd, to) < 0)
		die(path);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	long long begin;
	long long end;
	int status;
	FILE *out;
	pid_t pid;

	if (argc < 4) {
		fputs("usage: launch OUT INPUT PROGRAM [ARG...]\n", stderr);
		return 125;
	}
	out = fopen(argv[1], "we");
	if (!out)
		die(argv[1]);
	redirect(argv[2], O_RDONLY, STDIN_FILENO);
	redirect("/dev/null", O_WRONLY, STDOUT_FILENO);
	begin = now();
	pid = vfork();
	if (pid == 0) {
		(void)execv(argv[3], argv + 3);
		_exit(127);
	}
	while (pid > 0 && wait4(pid, &status, 0, &usage) < 0) {
		if (errno != EINTR)
			die("wait4");
	}
	end = now();
	if (pid < 0)
		die("vfork");
	fprintf(out, "%lld %ld %ld %d\n", end - begin, usage.ru_maxrss, usage.ru_minflt, status);
	return fclose(out) == 0 ? 0 : 125;
}
