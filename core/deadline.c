/* SPDX-License-Identifier: Apache-2.0 */
#include "core/deadline.h"

#include <signal.h>
#include <unistd.h>

#include "core/base/journal.h"
#include "core/base/names.h"
#include "core/base/stderr_line.h"

#define TEXT_OF(number) #number
#define DIGITS_OF(number) TEXT_OF(number)
#define REASON                                                                                     \
	"not finished after " DIGITS_OF(DEADLINE_SECONDS) " s: check whether the node's /sys or "  \
							  "one of its disks hangs (dmesg)"

static volatile sig_atomic_t must_fail;
static void (*late)(void);
static struct sigaction before;
static unsigned seconds_before;
static sigset_t mask_before;

static void on_alarm(int signal)
{
	static const char line[] = HOOK_NAME ": " REASON;

	(void)signal;
	(void)journal_send(line, sizeof(line) - 1);
	if (must_fail) {
		stderr_line(HOOK_NAME, REASON);
		_exit(1);
	}
	/* late() may start the runtime. */
	deadline_disarm();
	late();
}

void deadline_arm(void (*on_time_up)(void))
{
	struct sigaction action = {.sa_handler = on_alarm};
	sigset_t set;

	late = on_time_up;
	(void)sigaction(SIGALRM, &action, &before);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGALRM);
	(void)sigprocmask(SIG_UNBLOCK, &set, &mask_before);
	seconds_before = alarm(DEADLINE_SECONDS);
}

void deadline_disarm(void)
{
	(void)alarm(seconds_before);
	(void)sigaction(SIGALRM, &before, NULL);
	(void)sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

void deadline_set_must_fail(bool fail)
{
	must_fail = fail;
}
