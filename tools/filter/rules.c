/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/filter/rules.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/prctl.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

static uint32_t chosen;

void target_choose(const char *name)
{
	uint32_t native = seccomp_arch_native();

	chosen = name && *name ? seccomp_arch_resolve_name(name) : native;
	if (chosen != 0 && ((chosen ^ native) & __AUDIT_ARCH_LE) == 0)
		return;
	fprintf(stderr, "seccomp filter: no filter for %s can be made here\n", name);
	exit(1);
}

uint32_t target_architecture(void)
{
	return chosen;
}

/* Any new namespace (linux/sched.h); CLONE_NEWTIME shares its bit with the signal. */
#define CLONE_NEW_ANY                                                                              \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |             \
	 CLONE_NEWPID | CLONE_NEWNET)

const char *const common_calls[] = {
	/* files */
	"open",
	"openat",
	"openat2",
	"close",
	"read",
	"readv",
	"pread64",
	"write",
	"writev",
	"lseek",
	"_llseek",
	"fcntl",
	"fcntl64",
	"stat",
	"stat64",
	"fstat",
	"fstat64",
	"lstat",
	"lstat64",
	"newfstatat",
	"fstatat64",
	"statx",
	"statfs",
	"fstatfs",
	"fstatfs64",
	"access",
	"faccessat",
	"faccessat2",
	"readlink",
	"readlinkat",
	"getdents64",
	/* replacing a file */
	"fchown",
	"fchown32",
	"fchmod",
	"renameat",
	"renameat2",
	"rename",
	"unlinkat",
	"unlink",
	"mkdirat",
	"mkdir",
	"poll",
	"ppoll",
	"ppoll_time64",
	"sendto",
	/* time */
	"clock_gettime",
	"clock_gettime64",
	"gettimeofday",
	"time",
	"restart_syscall",
	/* the C library: memory, signals, identity */
	"brk",
	"mremap",
	"munmap",
	"madvise",
	"rt_sigaction",
	"rt_sigprocmask",
	"rt_sigreturn",
	"sigreturn",
	"getpid",
	"getppid",
	"gettid",
	"getuid",
	"geteuid",
	"getgid",
	"getegid",
	"capget",
	"getrandom",
	"uname", /* messages (core/base/err.c) */
	"futex",
	"rseq",
	"sched_yield",
	"sched_getaffinity",
	"sysinfo", /* glibc's qsort until 2.36 (stdlib/msort.c) */
	"tgkill",
	"tkill",
	"exit",
	"exit_group",
	NULL,
};

static const char *const hook_calls[] = {
	"flock",     /* core/record/store.c */
	"symlinkat", /* rccl.conf */
	/* nccl.conf's owner on an idmapped mount (core/base/replace.c) */
	"setfsuid",
	"setfsuid32",
	"setfsgid",
	"setfsgid32",
	/* the container's process */
	"pidfd_open",
	"prlimit64",
	"getrlimit",
	"ugetrlimit",
	/* deadline */
	"alarm",
	"setitimer",
	NULL,
};

static const char *const nri_calls[] = {
	"flock", /* record */
	/* its children */
	"pipe2",
	"fork",
	"vfork",
	"set_tid_address",
	"set_robust_list",
	"wait4",
	"kill",
	"nanosleep",
	"clock_nanosleep",
	"clock_nanosleep_time64",
	/* reconnecting to the runtime */
	"connect",
	"recvfrom",
	/* processes of missed containers */
	"pidfd_open",
	"prlimit64",
	NULL,
};

/* oci-rdma-nri --serve-metrics, once its socket exists */
static const char *const scrape_calls[] = {
	"accept4",
	/* musl's accept4(), after EINVAL (src/linux/accept4.c) */
	"accept",
	"recvfrom",
	"nanosleep",
	"clock_nanosleep",
	"clock_nanosleep_time64",
	NULL,
};

#define ALLOW SCMP_ACT_ALLOW
#define INT UINT32_MAX /* the kernel ignores the upper bits */

const struct rule common_rules[] = {
	{"socket", ALLOW, {{0, INT, AF_UNIX}}},
	/* Names an open file by /proc/self/fd (core/base/replace.c). */
	{"linkat", ALLOW, {{0, INT, (uint32_t)AT_FDCWD}, {4, INT, AT_SYMLINK_FOLLOW}}},
	/* No new code */
	{"mmap", ALLOW, {{2, PROT_EXEC, 0}}},
	{"mmap2", ALLOW, {{2, PROT_EXEC, 0}}},
	{"mprotect", ALLOW, {{2, PROT_EXEC, 0}}},
	/* Its flags are in memory, unseen by filters: C libraries fall back to clone. */
	{"clone3", SCMP_ACT_ERRNO(ENOSYS), {{0}}},
	/* C libraries probe for a terminal. */
	{"ioctl", SCMP_ACT_ERRNO(ENOTTY), {{0}}},
	{0},
};

static const struct rule no_rules[] = {{0}};

static const struct rule nri_rules[] = {
	{"prctl", ALLOW, {{0, INT, PR_SET_PDEATHSIG}}},
	{"clone", ALLOW, {{0, CLONE_NEW_ANY, 0}}},
	{0},
};

static const struct program {
	const char *name;
	const char *const *calls;
	const struct rule *rules;
} programs[] = {
	{"hook", hook_calls, no_rules},
	{"nri", nri_calls, nri_rules},
	{"scrape", scrape_calls, no_rules},
};

static const struct program *program_of(const char *name)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (strcmp(programs[i].name, name) == 0)
			return &programs[i];
	}
	fprintf(stderr, "seccomp filter: no program %s\n", name);
	exit(1);
}

const char *const *calls_of(const char *program)
{
	return program_of(program)->calls;
}

const struct rule *rules_of(const char *program)
{
	return program_of(program)->rules;
}

int call_number(const char *name)
{
	int number = seccomp_syscall_resolve_name_arch(target_architecture(), name);

	if (number == __NR_SCMP_ERROR) {
		fprintf(stderr, "seccomp filter: %s is no system call\n", name);
		exit(1);
	}
	return number;
}
