/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/nri_check.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/stderr_line.h"
#include "core/base/text.h"
#include "core/command_line.h"
#include "core/policy/policy.h"
#include "lib/nri_socket.h"
#include "lib/nri_status.h"
#include "lib/records.h"
#include "nri/missed.h"
#include "nri/nri_options.h"

#define ITS_LOG "journalctl -t " NRI_NAME ", or kubectl logs -l app=oci-rdma-nri -c plugin --prefix"

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	char line[2 * ERR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	text_make_printable(line);
	puts(line);
}

static int print_containers(int sysroot, struct err *err)
{
	cleanup_arena arena = {0};
	size_t of[RECORD_RESULTS] = {0};
	struct record *records;
	int n = missed_list(&arena, sysroot, &records, err);

	if (n < 0 || records_count(sysroot, 0, of, err) < 0)
		return -1;
	printf("containers  %zu granted, %zu denied, %zu failed, %zu nothing\n", of[RECORD_GRANTED],
	       of[RECORD_DENIED], of[RECORD_FAILED], of[RECORD_NOTHING]);
	for (int i = 0; i < n; i++)
		say("%-12s%s/%s/%s: %s", record_result_names[records[i].result],
		    records[i].pod_namespace ? records[i].pod_namespace : "-",
		    records[i].pod ? records[i].pod : "-",
		    records[i].container ? records[i].container : "-", records[i].reason);
	return 0;
}

static int print_status(int sysroot, const struct nri_status *status, bool alive)
{
	const struct nri_answers *answers = &status->answers;
	double average = answers->n ? (double)answers->us / (double)answers->n : 0;
	struct err err;

	if (status->since)
		say("plugin      connected to %s %s since %s",
		    status->runtime ? status->runtime : "a runtime",
		    status->version ? status->version : "", status->since);
	else
		say("plugin      not connected%s%s", status->trouble ? ": " : "",
		    status->trouble ? status->trouble : "");
	printf("answers     %" PRIu64 ", %.1f ms on average, %.1f ms at most\n", answers->n,
	       average / 1000, (double)answers->slowest_us / 1000);
	if (print_containers(sysroot, &err) < 0)
		say("containers  %s", err.text);
	if (status->unseen)
		say("not seen    %" PRIu64
		    " container%s could not be decided about when the plugin "
		    "connected: " ITS_LOG,
		    status->unseen, status->unseen == 1 ? "" : "s");
	if (status->n_found > 1)
		say("plugins     %u of %u are connected%s", status->n_connected, status->n_found,
		    status->n_connected < status->n_found ? ": " ITS_LOG : "");
	return status->n_connected || alive ? 0 : 1;
}

int nri_policy_check(const struct options *node, struct err *err)
{
	cleanup_arena arena = {0};
	cleanup_fd root = tree_open_root(node->sysroot, err);
	struct config config;

	return root < 0 ? -1 : config_load(&arena, root, node->config, &config, err);
}

static int print_policy(const struct nri_options *options, int exit_status)
{
	struct err err;

	if (nri_policy_check(&options->node, &err) == 0)
		return exit_status;
	say("policy      cannot be used, so no container gets anything: %s", err.text);
	return options->alive ? exit_status : 1;
}

int nri_check(const struct nri_options *options)
{
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	bool recorded = strcmp(options->node.sysroot, "/") != 0;
	cleanup_arena arena = {0};
	struct nri_status status;
	struct err err;
	cleanup_fd root = tree_open_root(options->node.sysroot, &err);
	cleanup_fd socket = -1;
	int exit_status = 1;

	(void)nri_options_socket(options, path, sizeof(path)); /* fits: nri_options_parse() */
	socket = open(path, O_PATH | O_CLOEXEC);
	if (root >= 0)
		printf("NRI         %s: %s\n", nri_socket_text(nri_socket_of(socket, false)), path);
	if (root < 0 || nri_status_find(&arena, root, recorded, &status, &err) < 0) {
		stderr_line(NRI_NAME, err.text);
		return 1;
	}
	switch (status.state) {
	case NRI_ABSENT:
		puts("plugin      not running: there is no /" NRI_STATUS_PATH);
		break;
	case NRI_ENDED:
		printf("plugin      not running: process %" PRId64 " has ended unexpectedly\n",
		       status.pid);
		break;
	case NRI_HANGS:
		printf("plugin      hangs: process %" PRId64
		       " has written no status for more than %d s\n",
		       status.pid, NRI_STATUS_OLD_MS / 1000);
		break;
	case NRI_UNCONNECTED:
	case NRI_SERVES:
		exit_status = print_status(root, &status, options->alive);
	}
	exit_status = print_policy(options, exit_status);
	return command_line_printed(NRI_NAME) ? exit_status : 1;
}
