/* SPDX-License-Identifier: Apache-2.0 */
/* Our list of calls against libseccomp, and reading profiles */
#include <seccomp.h>

#include "core/spec/spec.h"
#include "tests/unit/unit.h"

UNIT_TEST("seccomp: each name of the list is a system call")
{
	static const uint32_t architectures[] = {SCMP_ARCH_X86_64, SCMP_ARCH_AARCH64,
						 SCMP_ARCH_PPC64LE, SCMP_ARCH_S390X};

	for (size_t i = 0; seccomp_names[i]; i++) {
		for (size_t a = 0; a < LENGTH(architectures); a++) {
			int number = seccomp_syscall_resolve_name_arch(architectures[a],
								       seccomp_names[i]);

			if (number < 0)
				fail_msg("%s is no system call there", seccomp_names[i]);
		}
	}
}

/* A config.json with only linux.seccomp */
static struct seccomp_profile profile_of(struct arena *arena, const char *seccomp)
{
	struct spec spec = {0};
	struct err err;
	char *text = arena_printf(arena, "{\"linux\":{\"seccomp\":%s}}", seccomp);

	if (spec_parse(arena, "config.json", text, strlen(text), &spec, &err) < 0)
		fail_msg("%s", err.text);
	return spec.seccomp;
}

static const struct profile_case {
	const char *name;
	const char *profile;
	const char *refused[3];
	const char *by_default[3];
} profile_cases[] = {
	{"no profile", "null", LIST(NULL), LIST(NULL)},
	{"one that allows all", "{\"defaultAction\":\"SCMP_ACT_ALLOW\"}", LIST(NULL), LIST(NULL)},
	{"one that logs all", "{\"defaultAction\":\"SCMP_ACT_LOG\"}", LIST(NULL), LIST(NULL)},
	{"a call of its own",
	 "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[\"mlock\","
	 "\"read\"],"
	 "\"action\":\"SCMP_ACT_ERRNO\"}]}",
	 LIST("mlock"), LIST(NULL)},
	{"names that only begin like a call's, or go on",
	 "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[\"mloc\",\"mlock22\","
	 "\"mbind\"],\"action\":\"SCMP_ACT_ERRNO\"}]}",
	 LIST("mbind"), LIST(NULL)},
	{"a rule without an action refuses",
	 "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[\"mlock\"]}]}",
	 LIST("mlock"), LIST(NULL)},
	{"the action first",
	 "{\"syscalls\":[{\"action\":\"SCMP_ACT_KILL_PROCESS\",\"names\":[\"mlock2\"]}],"
	 "\"defaultAction\":\"SCMP_ACT_ALLOW\"}",
	 LIST("mlock2"), LIST(NULL)},
	{"all but two",
	 "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"syscalls\":[{\"names\":[\"ioctl\","
	 "\"mmap\","
	 "\"munmap\",\"mlock2\",\"munlock\",\"mlockall\",\"munlockall\",\"madvise\","
	 "\"sched_setaffinity\",\"get_mempolicy\",\"set_mempolicy\"],"
	 "\"action\":\"SCMP_ACT_ALLOW\"}]}",
	 LIST("mlock", "mbind"), LIST("mlock", "mbind")},
	{"a call that a rule refuses is not refused by default",
	 "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"syscalls\":[{\"names\":[\"mlock\"],"
	 "\"action\":\"SCMP_ACT_ERRNO\"},{\"names\":[\"ioctl\",\"mmap\",\"munmap\",\"mlock2\","
	 "\"munlock\",\"mlockall\",\"munlockall\",\"madvise\",\"sched_setaffinity\","
	 "\"get_mempolicy\",\"set_mempolicy\"],\"action\":\"SCMP_ACT_ALLOW\"}]}",
	 LIST("mlock", "mbind"), LIST("mbind")},
	{"no default action", "{\"syscalls\":[]}", LIST(NULL), LIST(NULL)},
	{"a rule that allows beats one that refuses",
	 "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[\"mlock\"],"
	 "\"action\":\"SCMP_ACT_ERRNO\"},{\"names\":[\"mlock\"],\"args\":[],"
	 "\"action\":\"SCMP_ACT_ALLOW\"}]}",
	 LIST(NULL), LIST(NULL)},
};

/* Bits of these calls */
static uint32_t bits(const char *const names[3])
{
	uint32_t all = 0;

	for (size_t i = 0; i < 3 && names[i]; i++) {
		for (size_t bit = 0; seccomp_names[bit]; bit++)
			all |= strcmp(names[i], seccomp_names[bit]) == 0 ? UINT32_C(1) << bit : 0;
	}
	return all;
}

UNIT_ROWS_AS("seccomp: ", profile_cases)
{
	cleanup_arena arena = {0};
	struct seccomp_profile profile = profile_of(&arena, row->profile);

	assert_int_equal(profile.place != NULL, strcmp(row->profile, "null") != 0);
	assert_int_equal(profile.refused, bits(row->refused));
	assert_int_equal(profile.by_default, bits(row->by_default));
}

int main(void)
{
	return unit_main("seccomp");
}
