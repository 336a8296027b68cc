/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/base/cleanup.h"

pid_t child_fork(const int *const closed[CHILD_CLOSED])
{
	pid_t parent = getpid();
	pid_t child = fork();

	if (child != 0)
		return child;
	for (size_t i = 0; i < CHILD_CLOSED; i++) {
		if (closed[i])
			cleanup_close_fd(closed[i]);
	}
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	return 0;
}
