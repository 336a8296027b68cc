/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the records each second; the queue says which is told next, and the API server takes its
 * event. What cannot be told is logged. The program keeps nothing: started again, it posts events
 * under the same names, which are there already. So SIGTERM may end it at any point.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/command_line.h"
#include "core/report/report.h"
#include "events/api.h"
#include "events/event.h"
#include "events/queue.h"

#define EVENTS_NAME "oci-rdma-events"
#define NODE_SIZE 129 /* a reportingInstance has 128 bytes at most */

static struct queue queue;
static char node[NODE_SIZE];

/* ---- what is posted ---- */

/* Logged when a pause begins, and when it has lasted too long */
static void wait_longer(struct queue_place *place, int64_t wait_ms, const struct err *err)
{
	bool begins = !place->pause_ms;
	size_t dropped = queue_wait(&queue, place, wait_ms, clock_ms());

	if (begins)
		log_event(LOG_WARNING,
			  "events of namespace %s cannot be posted, which is tried again: %s",
			  place->name, err->text);
	if (dropped)
		log_event(LOG_ERR,
			  "%zu records of namespace %s are not told, after an hour: %s; the node's "
			  "journal has their reasons",
			  dropped, place->name, err->text);
}

static void be_told(struct queue_item *item, const struct record *record, const char *what)
{
	const struct queue_place *waited = queue.all.pause_ms ? &queue.all : item->place;

	if (waited->pause_ms)
		log_event(LOG_INFO, "events of namespace %s are posted again", waited->name);
	log_event(LOG_INFO, "%s: pod=%s namespace=%s name=%s result=%s", what, record->pod,
		  record->pod_namespace, record->container ? record->container : "-",
		  record_result_name(record->result));
	queue_told(&queue, item, event_key(record), clock_ms());
}

static void post(struct queue_item *item, const struct record *record)
{
	cleanup_arena arena = {0};
	enum api_answer answer = API_AWAY;
	int64_t wait_ms = 0;
	struct err err;
	size_t len;
	const char *text = event_text(&arena, record, node, time(NULL), &len);

	queue_count(&queue, clock_ms());
	if (text)
		answer = api_post(record->pod_namespace, text, len, &wait_ms, &err);
	else
		(void)err_memory(&err);
	switch (answer) {
	case API_POSTED:
		be_told(item, record, "posted");
		break;
	case API_THERE:
		be_told(item, record, "there already");
		break;
	case API_REFUSED:
		item->done = true;
		log_event(LOG_ERR, "not told to pod=%s namespace=%s name=%s: %s; it was: %s",
			  record->pod, record->pod_namespace,
			  record->container ? record->container : "-", err.text, record->reason);
		break;
	case API_LATER:
		wait_longer(item->place, wait_ms, &err);
		break;
	case API_AWAY:
		wait_longer(&queue.all, wait_ms, &err);
		break;
	}
}

/* One that cannot be told, or need not be, is done without a request. */
static void serve_item(int dir, struct queue_item *item)
{
	cleanup_arena arena = {0};
	struct record record;
	struct err err;
	int found = record_load(&arena, dir, item->entry->file, &record, &err);

	if (found > 0 && record.tell)
		found = event_check(&record, &err) < 0 ? -1 : 1;
	if (found < 0)
		log_event(LOG_WARNING, "a record is left out: %s", err.text);
	if (found > 0 && record.tell && !queue_is_told(&queue, event_key(&record), clock_ms()))
		post(item, &record);
	else
		item->done = true;
}

/* ---- the loop ---- */

/* Returns how many there are, or -1. */
static int list_records(int dir, struct err *err)
{
	struct arena arena = {0};
	struct record_entry *entries;
	struct stat st;
	int n = record_list(&arena, dir, false, &entries);

	if (n < 0 || queue_update(&queue, &arena, entries, (size_t)n, clock_ms()) < 0) {
		arena_free(&arena);
		return err_memory(err);
	}
	/* A pod's mount holds it. */
	if (fstat(dir, &st) < 0 || st.st_nlink == 0)
		return err_set(err, "/" RECORD_DIR " was removed: this program has to be started "
				    "again");
	return n;
}

/* Returns when there is an error. */
static void serve(int dir, struct err *err)
{
	int n = list_records(dir, err);

	if (n >= 0)
		log_event(LOG_INFO,
			  "reads /" RECORD_DIR ": %d records, %" PRIu64 " of them older than an "
			  "hour, which are not told",
			  n, queue.old);
	for (; n >= 0; n = list_records(dir, err)) {
		struct queue_item *item;

		while ((item = queue_next(&queue, clock_ms())))
			serve_item(dir, item);
		(void)sleep(1);
	}
}

/* ---- begin and end ---- */

static int open_records(const char *sysroot, struct err *err)
{
	cleanup_fd root = tree_open_root(sysroot, err);
	int dir = root < 0 ? -1 : record_open(root, err);

	if (dir == -ENOENT)
		return err_set(err, "/" RECORD_DIR " is not there: no entry point has left a "
				    "record yet; mkdir -m 0700 -p it");
	return dir;
}

static void find_node(void)
{
	const char *name = getenv("NODE_NAME");

	if (name && name[0])
		(void)snprintf(node, sizeof(node), "%s", name);
	else if (gethostname(node, sizeof(node) - 1) < 0)
		(void)snprintf(node, sizeof(node), "unknown");
	text_make_printable(node);
}

/* A container's first process ignores a signal that it does not handle. */
static void end(int signal)
{
	(void)signal;
	_exit(0);
}

/* ---- the command line ---- */

#define ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount"

static const char usage[] =
	"Usage: oci-rdma-events [--account DIR] [--sysroot DIR]\n"
	"\n"
	"Posts events that tell a pod's author why a container did not get what it asked for.\n"
	"The hook, the runtime shim and the NRI plugin leave records below\n"
	"DIR/run/oci-rdma-hook/records. This program runs in a pod on each node, reads the\n"
	"records, and posts them as events of the pods concerned, so that kubectl describe pod\n"
	"shows the reason. It changes nothing on the node.\n"
	"\n"
	"  --account DIR   the service account's token and ca.crt; default\n"
	"                  " ACCOUNT "\n"
	"  --sysroot DIR   read the records below DIR; default /\n"
	"  --version       print the version and exit\n"
	"  -h, --help      print this text and exit\n"
	"\n"
	"Environment: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT name the API server;\n"
	"NODE_NAME is the node's name in the events, by default the host's name.\n"
	"\n"
	"Exit status: 0 ended by SIGTERM or SIGINT; 1 failure; 2 wrong command line.\n";

enum option_code {
	OPTION_ACCOUNT = OPTION_OWN,
};

static const struct option long_options[] = {
	{"account", required_argument, NULL, OPTION_ACCOUNT},
	COMMON_OPTION("sysroot", required_argument, OPTION_SYSROOT),
	COMMON_OPTION("version", no_argument, OPTION_VERSION),
	COMMON_OPTION("help", no_argument, OPTION_HELP),
	{0},
};

/* NOLINTNEXTLINE(readability-non-const-parameter): as struct program has it */
static int take(void *context, int option, char *value)
{
	const char **account = context;

	if (option == OPTION_ACCOUNT)
		*account = value;
	return -1;
}

static const struct program program = {EVENTS_NAME, usage, long_options, take};

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_handler = end};
	struct options options = {.sysroot = "/"};
	const char *account = ACCOUNT;
	struct err err;
	int status;
	int dir;

	fs_open_standard_streams();
	status = command_line_read(&program, argc, argv, &options, &account);
	if (status >= 0)
		return status;
	if (argv[optind])
		return command_line_error(EVENTS_NAME, "unexpected operand", argv[optind]);
	log_as_daemon(EVENTS_NAME);
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGINT, &action, NULL);
	find_node();
	queue.all.name = "*";
	dir = open_records(options.sysroot, &err);
	if (dir >= 0 && api_open(account, &err) == 0)
		serve(dir, &err);
	log_event(LOG_ERR, "%s", err.text);
	return 1;
}
