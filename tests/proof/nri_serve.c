/* SPDX-License-Identifier: Apache-2.0 */
/* The NRI plugin's answer for any limit that the message lists, any plan and any record:
 * adjust_memlock() lowers none. leave_failure() beside any number of children */
#include "nri/serve.c"

#include "tests/proof/any.h"

static struct container container;

/* As core/process/memlock.c: tests/proof/grant.c proves it. */
bool memlock_raise(struct rlimit64 *limit, uint64_t bytes)
{
	limit->rlim_cur = limit->rlim_cur > bytes ? limit->rlim_cur : bytes;
	limit->rlim_max = limit->rlim_max > bytes ? limit->rlim_max : bytes;
	return true;
}

static void prove_limit(void)
{
	struct work work = {.container = &container};
	struct spec *spec = &container.spec;
	Nri__Rlimit rlimit;

	work.record.result = nondet_bool() ? RECORD_GRANTED : RECORD_DENIED;
	work.record.memlock = nondet_uint64();
	spec->has_memlock = nondet_bool();
	spec->memlock_soft = nondet_uint64();
	spec->memlock_hard = nondet_uint64();
	container.plan.memlock = nondet_uint64();
	container.plan.adds_rlimit = nondet_bool();
	if (!adjust_memlock(&work, &rlimit)) {
		prove(!container.plan.adds_rlimit || spec->has_memlock,
		      "what lacks a limit gets it");
		return;
	}
	prove(rlimit.soft >= spec->memlock_soft && rlimit.hard >= spec->memlock_hard,
	      "no limit that is listed is lowered");
	prove(rlimit.soft >= container.plan.memlock && rlimit.hard >= container.plan.memlock,
	      "both limits are what the plan gives");
	prove(container.plan.adds_rlimit, "without a plan for the limit it stays");
}

/* Ends only the child. */
void _exit(int status)
{
	assume(false);
}

STUB(pid_t, child_fork, (const int *closed), nondet_int())
STUB(int, record_outcome,
     (const struct options *options, struct container *of, enum record_result result,
      const char *reason, const char *entry_point),
     0)

static void prove_children(void)
{
	struct children children = {.n = nondet_size()};
	struct server server = {.children = &children};

	assume(children.n <= CHILDREN_MAX);
	leave_failure(&server, &container, "reason");
	prove(children.n <= CHILDREN_MAX, "children are bounded, and each has a place");
}

int main(void)
{
	prove_limit();
	prove_children();
	return 0;
}
