/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/process/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/fs.h"

#define PATIENCE_MS 1000
#define RECORD 64 /* bytes for each text: below PIPE_BUF, so that it arrives in one piece */

static void watch(int in)
{
	char doing[RECORD + 1] = "";
	bool said = true;

	for (;;) {
		struct pollfd wait = {.fd = in, .events = POLLIN};
		int ready = poll(&wait, 1, said ? -1 : PATIENCE_MS);
		ssize_t n;

		if (ready == 0) {
			(void)dprintf(STDERR_FILENO, "oci-rdma-doctor: %s ...\n", doing);
			said = true;
			continue;
		}
		n = ready < 0 ? -1 : read(in, doing, RECORD);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(0);
		said = false;
	}
}

void progress_start(struct progress *progress)
{
	int ends[2];

	if (!isatty(STDERR_FILENO) || pipe2(ends, O_CLOEXEC) < 0)
		return;
	progress->child = fork();
	if (progress->child == 0) {
		(void)close(ends[1]);
		watch(ends[0]);
	}
	(void)close(ends[0]);
	if (progress->child < 0)
		(void)close(ends[1]);
	else
		progress->out = ends[1];
}

void progress_say(const struct progress *progress, const char *doing)
{
	char record[RECORD] = "";

	memcpy(record, doing, strnlen(doing, RECORD));
	if (progress->out >= 0)
		(void)fs_write(progress->out, record, RECORD);
}

void progress_end(struct progress *progress)
{
	if (progress->out < 0)
		return;
	(void)close(progress->out);
	progress->out = -1;
	/* The pipe's end would be told too late: a check that hangs in a driver was forked from us,
	 * has the pipe open, and does not die. */
	(void)kill(progress->child, SIGKILL);
	while (waitpid(progress->child, NULL, 0) < 0 && errno == EINTR)
		;
}
