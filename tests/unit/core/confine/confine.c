/* SPDX-License-Identifier: Apache-2.0 */
/* What a hook can and cannot do after reading its input */
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "hook/hook_confinement.h"
#include "nri/nri_confinement.h"
#include "tests/unit/unit.h"

enum { KILLED = -1, RETURNS = 0 };

/* Add calls deliberately. aarch64 lacks older ones (open, stat, poll, …). */
#ifdef __x86_64__
#define OUR_ARCH AUDIT_ARCH_X86_64
enum { CALLS_OF_HOOK = 79, CALLS_OF_NRI = 85, CALLS_OF_SCRAPE = 75 };
#else
#define OUR_ARCH AUDIT_ARCH_AARCH64
enum { CALLS_OF_HOOK = 72, CALLS_OF_NRI = 73, CALLS_OF_SCRAPE = 65 };
#endif

static const struct call_case {
	const char *name;
	long number;
	long arguments[6];
	int want; /* KILLED, RETURNS (any value), or the expected errno */
} call_cases[] = {
	{"killed: execve", SYS_execve, {0}, KILLED},
	{"killed: execveat", SYS_execveat, {-1}, KILLED},
	{"killed: ptrace", SYS_ptrace, {0}, KILLED},
	{"killed: process_vm_writev", SYS_process_vm_writev, {1}, KILLED},
	{"killed: bpf", SYS_bpf, {0}, KILLED},
	{"killed: init_module", SYS_init_module, {0}, KILLED},
	{"killed: kexec_load", SYS_kexec_load, {0}, KILLED},
	{"killed: reboot", SYS_reboot, {0}, KILLED},
	{"killed: chroot", SYS_chroot, {0}, KILLED},
	{"killed: pivot_root", SYS_pivot_root, {0}, KILLED},
	{"killed: umount2", SYS_umount2, {0}, KILLED},
	{"killed: mknodat", SYS_mknodat, {-1}, KILLED},
	{"killed: linkat", SYS_linkat, {-1}, KILLED},
	{"killed: linkat of a path as it is", SYS_linkat, {AT_FDCWD}, KILLED},
	{"killed: setuid", SYS_setuid, {0}, KILLED},
	{"killed: capset", SYS_capset, {0}, KILLED},
	{"killed: io_uring_setup", SYS_io_uring_setup, {1}, KILLED},
	{"killed: keyctl", SYS_keyctl, {0}, KILLED},
	{"killed: userfaultfd", SYS_userfaultfd, {0}, KILLED},
	{"killed: perf_event_open", SYS_perf_event_open, {0}, KILLED},
	{"killed: connect", SYS_connect, {-1}, KILLED},
	{"killed: an internet socket", SYS_socket, {AF_INET, SOCK_STREAM}, KILLED},
	{"killed: a packet socket", SYS_socket, {AF_PACKET, SOCK_RAW}, KILLED},
	{"killed: a domain with high bits", SYS_socket, {AF_INET | 1L << 40, SOCK_STREAM}, KILLED},
	{"killed: memory that can be executed",
	 SYS_mmap,
	 {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1},
	 KILLED},
	{"killed: memory that becomes executable", SYS_mprotect, {0, 4096, PROT_EXEC}, KILLED},
	{"killed: a namespace of its own", SYS_unshare, {CLONE_NEWNET}, KILLED},
	{"killed: another's namespace", SYS_setns, {-1, CLONE_NEWNET}, KILLED},
	{"killed: mount", SYS_mount, {0}, KILLED},
	{"killed: a child", SYS_clone, {SIGCHLD}, KILLED},
#ifdef SYS_fork
	{"killed: a child, as musl has it", SYS_fork, {0}, KILLED},
#endif
	{"killed: a signal to another process", SYS_kill, {0}, KILLED},
	{"killed: a socket to the kernel", SYS_socket, {AF_NETLINK, SOCK_RAW}, KILLED},
	{"killed: the number that a tracer makes of a call", -1, {0}, KILLED},
	{"killed: prctl that says when to die", SYS_prctl, {PR_SET_PDEATHSIG, SIGKILL}, KILLED},
	{"killed: prctl that changes what it may", SYS_prctl, {PR_SET_SECUREBITS, 0}, KILLED},
	{"killed: prctl as libcap's constructor has it, which is not linked",
	 SYS_prctl,
	 {PR_CAPBSET_READ, 0},
	 KILLED},
	{"killed: a second filter", SYS_prctl, {PR_SET_SECCOMP, 2}, KILLED},
#ifdef __x86_64__
	{"killed: x32's spelling of read", 0x40000000L + SYS_read, {-1}, KILLED},
#endif

	{"goes on: clone3 says that there is none", SYS_clone3, {0}, ENOSYS},
	{"goes on: no stream is a terminal", SYS_ioctl, {0, 0x5413}, ENOTTY},
	{"goes on: openat", SYS_openat, {-1}, RETURNS},
	{"goes on: openat2", SYS_openat2, {-1}, RETURNS},
#ifdef SYS_open
	{"goes on: open, as musl has it", SYS_open, {0}, RETURNS},
	{"goes on: stat, as musl has it", SYS_stat, {0}, RETURNS},
	{"goes on: alarm", SYS_alarm, {0}, RETURNS},
#endif
	{"goes on: newfstatat, as glibc has it", SYS_newfstatat, {-1}, RETURNS},
	{"goes on: sysinfo, as glibc's qsort has it", SYS_sysinfo, {0}, RETURNS},
	{"goes on: tkill, as musl's raise has it", SYS_tkill, {-1}, RETURNS},
	{"goes on: statx, as newer ones have it", SYS_statx, {-1}, RETURNS},
	{"goes on: faccessat2, as newer ones have it", SYS_faccessat2, {-1}, RETURNS},
	{"goes on: setitimer, musl's alarm", SYS_setitimer, {0}, RETURNS},
	{"goes on: pidfd_open", SYS_pidfd_open, {-1}, RETURNS},
	{"goes on: prlimit64", SYS_prlimit64, {0}, RETURNS},
	{"goes on: renameat2", SYS_renameat2, {-1}, RETURNS},
	{"goes on: symlinkat", SYS_symlinkat, {0, -1}, RETURNS},
	{"goes on: setfsuid", SYS_setfsuid, {0}, RETURNS},
	{"goes on: setfsgid", SYS_setfsgid, {0}, RETURNS},
	{"goes on: a socket to the journal", SYS_socket, {AF_UNIX, SOCK_DGRAM}, RETURNS},
	{"goes on: memory",
	 SYS_mmap,
	 {0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1},
	 RETURNS},
};

/* The same for the NRI plugin */
static const struct call_case nri_cases[] = {
	{"killed: execve", SYS_execve, {0}, KILLED},
	{"killed: an internet socket", SYS_socket, {AF_INET, SOCK_STREAM}, KILLED},
	{"killed: a socket that listens", SYS_listen, {-1}, KILLED},
	{"killed: accept4", SYS_accept4, {-1}, KILLED},
	{"killed: bind", SYS_bind, {-1}, KILLED},
	{"killed: an attribute of a file", SYS_fsetxattr, {-1}, KILLED},
	{"killed: ptrace", SYS_ptrace, {0}, KILLED},
	{"killed: memory that becomes executable", SYS_mprotect, {0, 4096, PROT_EXEC}, KILLED},
	{"killed: another's namespace", SYS_setns, {-1, CLONE_NEWNET}, KILLED},
	{"killed: mount", SYS_mount, {0}, KILLED},
	{"killed: a child in a new user namespace", SYS_clone, {CLONE_NEWUSER | SIGCHLD}, KILLED},
	{"killed: a socket to the kernel", SYS_socket, {AF_NETLINK, SOCK_RAW}, KILLED},
	{"goes on: set_tid_address, as musl's fork has it", SYS_set_tid_address, {0}, RETURNS},
	{"goes on: a child that dies with it", SYS_prctl, {PR_SET_PDEATHSIG, SIGKILL}, RETURNS},
	{"goes on: the runtime's socket", SYS_socket, {AF_UNIX, SOCK_STREAM}, RETURNS},
	{"goes on: connect", SYS_connect, {-1}, RETURNS},
	{"goes on: the limits of a container that was missed", SYS_prlimit64, {0}, RETURNS},
	{"goes on: pidfd_open", SYS_pidfd_open, {-1}, RETURNS},
	{"killed: inotify_init1", SYS_inotify_init1, {-1}, KILLED},
	{"goes on: uname", SYS_uname, {0}, RETURNS},
	{"goes on: sendto", SYS_sendto, {-1}, RETURNS},
	{"goes on: ppoll", SYS_ppoll, {0, 1}, RETURNS},
	{"goes on: a status file in place of the old one", SYS_renameat2, {-1}, RETURNS},
};

/* A confined child makes the call: its signal or exit status */
static void make_call(const struct confinement *confinement, const struct call_case *row)
{
	struct err err;
	const long *a = row->arguments;
	long result;

	(void)confine(confinement, NULL, &err);
	result = syscall(row->number, a[0], a[1], a[2], a[3], a[4], a[5]);
	_exit(row->want == RETURNS || (result < 0 && errno == row->want) ? 0 : 1);
}

static void ends_as_it_must(const struct confinement *confinement, const struct call_case *row)
{
	pid_t child = unit_fork();
	int status;

	if (child == 0)
		make_call(confinement, row);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (row->want == KILLED) {
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGSYS);
	} else {
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

UNIT_ROWS(call_cases)
{
	ends_as_it_must(&hook_confinement, row);
}

UNIT_ROWS_AS("NRI plugin: ", nri_cases)
{
	ends_as_it_must(&nri_confinement, row);
}

UNIT_TEST("control: unconfined, the same calls return")
{
	int status;
	pid_t child = unit_fork();

	if (child == 0) {
		(void)syscall(SYS_connect, -1, NULL, 0);
		(void)syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
}

#define BIT(capability) (UINT64_C(1) << (capability))

static uint64_t effective_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};

	(void)syscall(SYS_capget, &header, data);
	return (uint64_t)data[1].effective << 32 | data[0].effective |
	       (uint64_t)data[1].permitted << 32 | data[0].permitted;
}

/* By /proc: the filter kills capget. */
static uint64_t read_status(const char *label)
{
	char text[8192];
	int fd = openat(AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof(text) - 1);
	const char *line;

	text[n > 0 ? n : 0] = '\0';
	line = strstr(text, label);
	return line ? strtoull(line + strlen(label), NULL, 16) : ~UINT64_C(0);
}

static const struct kept_case {
	const char *name;
	const struct confinement *confinement;
	uint64_t kept;
} kept_cases[] = {
	{"capabilities: those of a grant are left", &hook_confinement,
	 BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER) | BIT(CAP_SETUID) |
		 BIT(CAP_SETGID) | BIT(CAP_SYS_RESOURCE)},
	{"capabilities: of the NRI plugin, the one that mends", &nri_confinement,
	 BIT(CAP_SYS_RESOURCE)},
};

UNIT_ROWS(kept_cases)
{
	struct err err;
	uint64_t kept = row->kept;
	uint64_t before = effective_capabilities();
	pid_t child = unit_fork();

	if (child == 0) {
		_exit(confine(row->confinement, NULL, &err) != 0 ||
		      read_status("\nCapEff:") != (before & kept) ||
		      read_status("\nCapPrm:") != (before & kept) ||
		      read_status("\nCapInh:") != 0 || read_status("\nNoNewPrivs:") != 1 ||
		      read_status("\nSeccomp:") != 2);
	}
	assert_int_equal(unit_exit_of(child), 0);
	/* Control: root had others before. */
	if (geteuid() == 0)
		assert_true((before & ~kept) != 0);
}

static void make_inheritable(uint64_t set)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data) < 0)
		_exit(2);
	data[0].inheritable |= (uint32_t)set;
	data[1].inheritable |= (uint32_t)(set >> 32);
	if (syscall(SYS_capset, &header, data) < 0)
		_exit(3);
}

/* An engine can inherit some (a service's ambient capabilities). */
UNIT_TEST("capabilities: none is inheritable, whatever was")
{
	struct err err;
	uint64_t set = effective_capabilities() & (BIT(CAP_CHOWN) | BIT(CAP_SYSLOG));
	pid_t child = unit_fork();

	if (child == 0) {
		make_inheritable(set);
		if (read_status("\nCapInh:") != set)
			_exit(4);
		(void)confine(&hook_confinement, NULL, &err);
		_exit(read_status("\nCapInh:") != 0);
	}
	assert_int_equal(unit_exit_of(child), 0);
}

/* /proc shows it in octal. */
UNIT_TEST("umask: what is created is its owner's alone")
{
	struct err err;
	pid_t child = unit_fork();

	if (child == 0) {
		(void)umask(0);
		(void)confine(&hook_confinement, NULL, &err);
		_exit(read_status("\nUmask:") != 0x77);
	}
	assert_int_equal(unit_exit_of(child), 0);
}

UNIT_TEST("descriptors: closed; directory: gone to")
{
	struct err err;
	int leaked = open("/", O_PATH | O_DIRECTORY);
	char here[64];
	pid_t child = unit_fork();

	assert_true(leaked > STDERR_FILENO);
	if (child == 0) {
		(void)confine(&hook_confinement, "/proc", &err);
		/* The filter kills getcwd(2). */
		_exit(fcntl(leaked, F_GETFD) >= 0 ||
		      readlinkat(AT_FDCWD, "self/cwd", here, sizeof(here)) != strlen("/proc"));
	}
	assert_int_equal(unit_exit_of(child), 0);
	(void)close(leaked);
}

static int confine_in_child(const struct confinement *confinement, const char *directory,
			    const char *reason)
{
	struct err err = {0};
	pid_t child = unit_fork();

	if (child == 0)
		_exit(confine(confinement, directory, &err) != -1 ? 2
		      : strstr(err.text, reason)                  ? 0
								  : 1);
	return unit_exit_of(child);
}

UNIT_TEST("what cannot be given up is told")
{
	struct confinement unfiltered = hook_confinement;

	unfiltered.n_instructions = 0; /* EINVAL */
	assert_int_equal(confine_in_child(&unfiltered, NULL, "system calls (seccomp)"), 0);
	assert_int_equal(confine_in_child(&hook_confinement, "/nowhere", "directory"), 0);
}

UNIT_TEST("a refused capset(2) is told")
{
	struct sock_filter refuse[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_capset, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = LENGTH(refuse), .filter = refuse};
	pid_t child = unit_fork();
	struct err err;

	if (child == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
			_exit(2);
		_exit(confine(&hook_confinement, NULL, &err) != -1 ||
		      strcmp(err.text, "cannot give up capabilities: Operation not permitted"));
	}
	assert_int_equal(unit_exit_of(child), 0);
}

/* ---- how much is left ---- */

/* The filter's verdict for a call with arguments 0: libseccomp emits loads, jumps and returns, and
 * may mask arguments. */
static uint32_t judge(const struct confinement *confinement, uint32_t number)
{
	struct seccomp_data data = {.nr = (int)number, .arch = OUR_ARCH};
	uint32_t a = 0;

	for (size_t at = 0; at < confinement->n_instructions; at++) {
		const struct sock_filter *i = &confinement->instructions[at];
		bool jumps;

		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			memcpy(&a, (const char *)&data + i->k, sizeof(a));
			continue;
		case BPF_LDX | BPF_IMM:
			continue;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= i->k;
			continue;
		case BPF_JMP | BPF_JA:
			at += i->k;
			continue;
		case BPF_RET | BPF_K:
			return i->k;
		case BPF_JMP | BPF_JEQ | BPF_K:
			jumps = a == i->k;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			jumps = a >= i->k;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			jumps = a > i->k;
			break;
		default:
			fail_msg("an instruction that libseccomp did not use before: 0x%x",
				 i->code);
			return 0;
		}
		at += jumps ? i->jt : i->jf;
	}
	return 0;
}

static const struct size_case {
	const char *name;
	const struct confinement *confinement;
	int capabilities;
	int calls; /* calls with arguments 0 that continue */
} size_cases[] = {
	{"size: the hook", &hook_confinement, 6, CALLS_OF_HOOK},
	{"size: the NRI plugin", &nri_confinement, 1, CALLS_OF_NRI},
	{"size: what answers a collector", &scrape_confinement, 0, CALLS_OF_SCRAPE},
};

UNIT_ROWS(size_cases)
{
	int calls = 0;

	for (uint32_t number = 0; number < 1024; number++)
		calls += judge(row->confinement, number) != SECCOMP_RET_KILL_PROCESS;
	assert_int_equal(__builtin_popcountll(row->confinement->capabilities), row->capabilities);
	assert_int_equal(calls, row->calls);
}

int main(void)
{
	return unit_main("confine");
}
