/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/nri.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/tell.h"
#include "core/base/text.h"
#include "core/command_line.h"
#include "core/nri_socket.h"
#include "core/nri_status.h"

static void print_counters(const struct nri_counters *counters)
{
	double average = counters->containers
				 ? (double)counters->answer_us / (double)counters->containers
				 : 0;

	(void)printf("containers  %" PRIu64 ": %" PRIu64 " granted, %" PRIu64 " denied, %" PRIu64
		     " failed, %" PRIu64 " given up\n",
		     counters->containers, counters->granted, counters->denied, counters->failed,
		     counters->given_up);
	(void)printf("answers     %.1f ms on average, %.1f ms at most\n", average / 1000,
		     (double)counters->slowest_us / 1000);
}

/* What stands in the file is for a terminal only if it is one line without escapes. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	char line[2 * ERR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	text_make_printable(line);
	(void)puts(line);
}

/* The names of what was missed: the reader wants to recreate these pods. */
static void print_missed(const struct nri_missed_status *missed)
{
	if (missed->open)
		say(missed->open == 1
			    ? "missed      %" PRIu64 " container was created while no plugin was "
			      "connected, and lacks the memlock limit: recreate its pod"
			    : "missed      %" PRIu64 " containers were created while no plugin was "
			      "connected, and lack the memlock limit: recreate their pods",
		    missed->open);
	for (size_t i = 0; i < missed->n; i++)
		say("            %s%s", missed->item[i].who,
		    missed->item[i].mended
			    ? " (mended: its processes have the limit, an exec does not)"
			    : "");
	if (missed->unseen)
		say("not seen    %" PRIu64
		    " container%s could not be decided about when the plugin "
		    "connected: journalctl -t " NRI_NAME,
		    missed->unseen, missed->unseen == 1 ? "" : "s");
}

static int print_status(const struct nri_status *status, bool alive)
{
	if (status->since)
		say("plugin      connected to %s %s since %s",
		    status->runtime ? status->runtime : "a runtime",
		    status->version ? status->version : "", status->since);
	else
		say("plugin      not connected%s%s", status->trouble ? ": " : "",
		    status->trouble ? status->trouble : "");
	if (status->since && status->trouble)
		say("            %s", status->trouble);
	print_counters(&status->counters);
	print_missed(&status->missed);
	if (status->n_found > 1)
		say("plugins     %u of %u are connected%s", status->n_connected, status->n_found,
		    status->n_connected < status->n_found ? ": journalctl -t " NRI_NAME : "");
	return status->n_connected || alive ? 0 : 1;
}

static int check(const struct nri_options *options)
{
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	bool recorded = strcmp(options->node.sysroot, "/") != 0;
	cleanup_arena arena = {0};
	struct nri_status status;
	struct err err;
	cleanup_fd root = tree_open_root(options->node.sysroot, &err);
	cleanup_fd socket = -1;
	int found = -1;

	(void)nri_options_socket(options, path, sizeof(path)); /* it fits: nri_options_parse() */
	socket = open(path, O_PATH | O_CLOEXEC);
	if (root >= 0) {
		(void)printf("NRI         %s: %s\n", nri_socket_text(nri_socket_of(socket, false)),
			     path);
		found = recorded ? nri_status_find(&arena, root, true, &status, &err)
				 : nri_status_find_own(&arena, root, &status, &err);
	}
	switch (found) {
	case 0:
		return print_status(&status, options->alive);
	case -ESRCH:
		(void)printf("plugin      not running: process %" PRId64
			     " has ended unexpectedly\n",
			     status.pid);
		return 1;
	case -ETIMEDOUT:
		(void)printf("plugin      hangs: process %" PRId64
			     " has written no status for more than %d s\n",
			     status.pid, NRI_STATUS_OLD_MS / 1000);
		return 1;
	case -ENOENT:
		(void)puts("plugin      not running: there is no /" NRI_STATUS_PATH);
		return 1;
	default:
		tell(NRI_NAME, err.text);
		return 1;
	}
}

int nri_check(const struct nri_options *options)
{
	int status = check(options);

	return command_line_printed(NRI_NAME) ? status : 1;
}
