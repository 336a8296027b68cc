/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that a seccomp profile refuses: amended, or only reported */
#include "suite.h"

/* The first three of the list: ioctl, mmap, munmap */
#define IOCTL (UINT32_C(1) << 0)
#define MMAP (UINT32_C(1) << 1)
#define MUNMAP (UINT32_C(1) << 2)

static const struct seccomp_case {
	const char *name;
	struct seccomp_profile profile;
	uint32_t amended;  /* with seccomp "amend" */
	const char *says;  /* refused calls without it; NULL: none */
	const char *still; /* refused anyway */
} seccomp_cases[] = {
	{"seccomp: nothing is refused", {0}, 0, NULL, NULL},
	{"seccomp: one is refused by name", LIST(.refused = MMAP), 0, "need: mmap", "need: mmap"},
	{"seccomp: two are refused by name", LIST(.refused = IOCTL | MUNMAP), 0,
	 "need: ioctl, munmap", "need: ioctl, munmap"},
	{"seccomp: one is refused by default", LIST(.refused = MMAP, .by_default = MMAP), MMAP,
	 "need: mmap", NULL},
	{"seccomp: one by default, and one by name",
	 LIST(.refused = MMAP | IOCTL, .by_default = MMAP), MMAP, "need: ioctl, mmap",
	 "need: ioctl"},
};

/* The warning about them, or NULL */
static const char *said(const struct warnings *warnings)
{
	if (!warnings->n)
		return NULL;
	assert_int_equal(warnings->n, 1);
	assert_string_equal(warnings->item[0].code, "seccomp_refuses");
	return strstr(warnings->item[0].message, "need: ");
}

static void check_seccomp(const struct seccomp_case *row, bool amends, uint32_t amended,
			  const char *says)
{
	struct setup setup = {ASKED, ONE_DEVICE, .amend_seccomp = amends, .seccomp = row->profile};
	cleanup_bench bench = plan_of(&setup);
	const char *text;

	text = said(&bench.warnings);
	assert_int_equal(bench.plan.seccomp, amended);
	assert_int_equal(text != NULL, says != NULL);
	if (says)
		assert_string_equal(text, says);
}

UNIT_ROWS(seccomp_cases)
{
	check_seccomp(row, false, 0, row->says);
	check_seccomp(row, true, row->amended, row->still);
}

UNIT_TEST("seccomp: nothing is amended without a grant")
{
	static const struct setup setups[] = {
		{TCP_SETUP, .amend_seccomp = true,
		 .seccomp = {.refused = MMAP, .by_default = MMAP}},
		{ONE_DEVICE, .amend_seccomp = true,
		 .seccomp = {.refused = MMAP, .by_default = MMAP}},
	};

	for (size_t i = 0; i < LENGTH(setups); i++) {
		cleanup_bench bench = plan_of(&setups[i]);

		assert_int_equal(bench.plan.seccomp, 0);
		assert_int_equal(bench.warnings.n, 0);
	}
}
