/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count OUT PROGRAM [ARG…]: how many instructions the program executes in user space, up to its end
 * or to the program that it becomes by execve(2). On the first line of OUT; on the others how often
 * each address of it was reached, as "OFFSET TIMES". Ends as the program does.
 *
 * By single steps, since the alternatives do not do: callgrind knows openat2(2) since valgrind 3.24
 * only, and its own calls do not pass our filter; qemu-user knows no seccomp; virtual machines
 * often have no performance counters.
 */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEXT_MAX (4 * 1024 * 1024)

static unsigned times[TEXT_MAX];

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static unsigned long program_counter(pid_t pid)
{
	struct user_regs_struct registers;
	struct iovec all = {&registers, sizeof(registers)};

	if (ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &all) < 0)
		die("registers");
#ifdef __x86_64__
	return registers.rip;
#else
	return registers.pc;
#endif
}

/* Where the program was put: its program headers are in its first page. */
static unsigned long base_of(pid_t pid)
{
	char path[32];
	Elf64_auxv_t entry;
	FILE *vector;

	(void)snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	vector = fopen(path, "re");
	if (!vector)
		die(path);
	do {
		if (fread(&entry, sizeof(entry), 1, vector) != 1)
			die(path);
	} while (entry.a_type != AT_PHDR);
	(void)fclose(vector);
	return entry.a_un.a_val & ~0xfffUL;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			die("waitpid");
	}
	return status;
}

/* A string instruction that repeats itself is one. Returns the status that ended the steps. */
static int step_through(pid_t pid, unsigned long *ret_count)
{
	unsigned long base = base_of(pid);
	unsigned long last = 0;
	int status;

	for (long signal = 0;;) {
		unsigned long at = program_counter(pid);

		if (at != last) {
			++*ret_count;
			if (at - base < TEXT_MAX)
				times[at - base]++;
		}
		last = at;
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, signal) < 0)
			die("step");
		status = wait_for(pid);
		if (!WIFSTOPPED(status) || status >> 8 == (SIGTRAP | (PTRACE_EVENT_EXEC << 8)))
			return status;
		signal = WSTOPSIG(status);
		/* Ours, and its deadline's: a step may take 20 us in a virtual machine. */
		if (signal == SIGTRAP || signal == SIGALRM)
			signal = 0;
	}
}

static void write_counts(FILE *out, unsigned long count)
{
	(void)fprintf(out, "%lu\n", count);
	for (size_t i = 0; i < TEXT_MAX; i++) {
		if (times[i])
			(void)fprintf(out, "%zx %u\n", i, times[i]);
	}
	if (fclose(out) != 0)
		die("OUT");
}

int main(int argc, char **argv)
{
	unsigned long count = 0;
	FILE *out = argc > 2 ? fopen(argv[1], "we") : NULL;
	pid_t pid;
	int status;

	if (!out)
		die("usage: count OUT PROGRAM [ARG…]");
	pid = fork();
	if (pid == 0) {
		(void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		(void)execv(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || !WIFSTOPPED(wait_for(pid)))
		die(argv[2]);
	if (ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL) < 0)
		die("ptrace");
	status = step_through(pid, &count);
	write_counts(out, count);
	if (WIFSTOPPED(status)) {
		(void)ptrace(PTRACE_DETACH, pid, NULL, NULL);
		status = wait_for(pid);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
