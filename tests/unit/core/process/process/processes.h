/* SPDX-License-Identifier: Apache-2.0 */
/* Processes of a test's own */
#ifndef TESTS_UNIT_CORE_PROCESS_PROCESSES_H
#define TESTS_UNIT_CORE_PROCESS_PROCESSES_H

#include "tests/unit/unit.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "core/plan/plan.h"
#include "core/process/process.h"

#define ID "c0ffee"

/* What a child says that this machine does not let do what it tests */
#define NOT_HERE 77

static inline pid_t start(int (*body)(const void *), const void *context)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		int status = body(context);

		_exit(status);
	}
	return pid;
}

static inline void end(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

/* What body returns in a process of its own; skips the test if that is NOT_HERE. */
static inline int result_of(int (*body)(const void *), const void *context)
{
	pid_t pid = start(body, context);
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NOT_HERE)
		skip();
	return WEXITSTATUS(status);
}

static inline int sleep_long(const void *context)
{
	(void)context;
	(void)pause();
	return 0;
}

#endif
