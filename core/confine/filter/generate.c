/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the system calls that a hook makes as a BPF program, in C. Runs when the hook is built, so
 * that libseccomp is neither linked nor waited for on a node.
 *
 * Both C libraries' calls are there, and what later ones may use instead (statx, faccessat2): a
 * rebuild against another must not make it be killed.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define PROGRAM_MAX 4096

/* A new namespace of any kind (linux/sched.h); CLONE_NEWTIME shares its bit with the signal. */
#define CLONE_NEW_ANY                                                                              \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |             \
	 CLONE_NEWPID | CLONE_NEWNET)

static const char *const allowed[] = {
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
	/* nccl.conf, in place of the old one */
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
	"fsync",
	"fgetxattr",
	"flistxattr",
	"fsetxattr",
	/* the container's process */
	"pidfd_open",
	"prlimit64",
	"getrlimit",
	"ugetrlimit",
	"poll",
	"ppoll",
	"ppoll_time64",
	/* the child that looks into the pod's network namespace */
	"pipe2",
	"fork",
	"vfork",
	"wait4",
	"kill",
	"mount",
	"setsockopt",
	"sendto",
	"recvfrom",
	"recvmsg",
	/* time */
	"alarm",
	"setitimer",
	"nanosleep",
	"clock_nanosleep",
	"clock_nanosleep_time64",
	"clock_gettime",
	"clock_gettime64",
	"gettimeofday",
	"time",
	"restart_syscall",
	/* memory, signals, identity: what a C library does by itself */
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
	"futex",
	"set_robust_list",
	"set_tid_address",
	"rseq",
	"sched_yield",
	"sched_getaffinity",
	"sysinfo", /* glibc's qsort until 2.36: how much memory there is (stdlib/msort.c) */
	"tgkill",
	"tkill",
	"exit",
	"exit_group",
};

static void check(int status, const char *what)
{
	if (status == 0)
		return;
	(void)fprintf(stderr, "seccomp filter: %s: error %d\n", what, -status);
	exit(1);
}

/* A call that this architecture has not is none that could be made. */
static void add(scmp_filter_ctx filter, uint32_t action, const char *name, unsigned n,
		const struct scmp_arg_cmp *arguments)
{
	int number = seccomp_syscall_resolve_name(name);

	if (number == __NR_SCMP_ERROR) {
		(void)fprintf(stderr, "seccomp filter: %s is no system call\n", name);
		exit(1);
	}
	if (number >= 0)
		check(seccomp_rule_add_array(filter, action, number, n, arguments), name);
}

/* Calls that are harmless with these arguments only */
static void add_some(scmp_filter_ctx filter)
{
	static const unsigned domains[] = {AF_UNIX, AF_NETLINK};
	static const unsigned options[] = {PR_SET_PDEATHSIG, PR_CAPBSET_READ};

	for (size_t i = 0; i < sizeof(domains) / sizeof(domains[0]); i++)
		add(filter, SCMP_ACT_ALLOW, "socket", 1,
		    &SCMP_A0(SCMP_CMP_MASKED_EQ, UINT32_MAX, domains[i]));
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		add(filter, SCMP_ACT_ALLOW, "prctl", 1,
		    &SCMP_A0(SCMP_CMP_MASKED_EQ, UINT32_MAX, options[i]));
	add(filter, SCMP_ACT_ALLOW, "setns", 1, &SCMP_A1(SCMP_CMP_EQ, CLONE_NEWNET));
	add(filter, SCMP_ACT_ALLOW, "unshare", 1, &SCMP_A0(SCMP_CMP_EQ, CLONE_NEWNS));
	add(filter, SCMP_ACT_ALLOW, "clone", 1, &SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_NEW_ANY, 0));
	/* No code that was not there from the start */
	add(filter, SCMP_ACT_ALLOW, "mmap", 1, &SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	add(filter, SCMP_ACT_ALLOW, "mmap2", 1, &SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	add(filter, SCMP_ACT_ALLOW, "mprotect", 1, &SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	/* Its flags lie in memory, where no filter sees them: a C library then takes clone. */
	add(filter, SCMP_ACT_ERRNO(ENOSYS), "clone3", 0, NULL);
	/* A C library's question whether a stream is a terminal */
	add(filter, SCMP_ACT_ERRNO(ENOTTY), "ioctl", 0, NULL);
}

static void print(FILE *program)
{
	static struct sock_filter instructions[PROGRAM_MAX];
	size_t n = fread(instructions, sizeof(instructions[0]), PROGRAM_MAX, program);

	if (n == 0 || n == PROGRAM_MAX) {
		(void)fprintf(stderr, "seccomp filter: %zu instructions\n", n);
		exit(1);
	}
	for (size_t i = 0; i < n; i++)
		(void)printf("{0x%02x, %u, %u, 0x%08x},\n", instructions[i].code,
			     instructions[i].jt, instructions[i].jf, instructions[i].k);
}

int main(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	FILE *program = tmpfile();

	if (!filter || !program) {
		(void)fputs("seccomp filter: out of memory, or no temporary file\n", stderr);
		return 1;
	}
	/* A tracer skips a call by making it -1, which is none (strace -e inject). */
	check(seccomp_attr_set(filter, SCMP_FLTATR_API_TSKIP, 1), "skip");
	check(seccomp_rule_add(filter, SCMP_ACT_ALLOW, -1, 0), "-1");
	/* A binary tree of numbers instead of a list */
	check(seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2), "optimize");
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		add(filter, SCMP_ACT_ALLOW, allowed[i], 0, NULL);
	add_some(filter);
	check(seccomp_export_bpf(filter, fileno(program)), "export");
	rewind(program);
	print(program);
	seccomp_release(filter);
	return ferror(stdout) || fflush(stdout) != 0;
}
