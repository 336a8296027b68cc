/* SPDX-License-Identifier: Apache-2.0 */
/* Posts each second's records in queue order. Stateless: after a restart the same events exist, so
 * SIGTERM may end it anywhere. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/base/trust.h"
#include "core/command_line.h"
#include "core/report/log.h"
#include "core/report/outcome.h"
#include "events/api.h"
#include "events/event.h"
#include "events/queue.h"

#define EVENTS_NAME "oci-rdma-events"
#define NODE_SIZE 129 /* reportingInstance: 128 bytes at most */

static struct queue queue;
static char node[NODE_SIZE];

static void post(struct queue_item *item, const struct record *record)
{
	struct queue_place *place = item->place;
	const char *container = record->container ? record->container : "-";
	cleanup_arena arena = {0};
	enum event_answer answer = EVENT_LATER;
	bool waited = place->pause_ms;
	size_t dropped;
	struct err err;
	size_t len;
	const char *text = event_text(&arena, record, node, time(NULL), &len);

	queue_count(&queue, clock_ms());
	if (text)
		answer = api_post(place->name, text, len, queue_patience(place), &err);
	else
		err_memory(&err);
	if (answer == EVENT_LATER) {
		item->done = false;
		dropped = queue_wait(&queue, place, clock_ms());
		if (!waited)
			log_event(LOG_WARNING,
				  "events of namespace %s cannot be posted, will retry: %s",
				  place->name, err.text);
		if (dropped)
			log_event(LOG_ERR,
				  "gave up %zu records of namespace %s after an hour: %s; the "
				  "node's journal has their reasons",
				  dropped, place->name, err.text);
		return;
	}
	place->pause_ms = 0;
	if (answer == EVENT_REFUSED)
		log_event(LOG_ERR, "not posted: pod=%s namespace=%s name=%s: %s; it was: %s",
			  record->pod, place->name, container, err.text, record->reason);
	else
		log_event(LOG_INFO, "%s: pod=%s namespace=%s name=%s result=%s%s",
			  answer == EVENT_POSTED ? "posted" : "there already", record->pod,
			  place->name, container, record_result_names[record->result],
			  waited ? "; the namespace's events are posted again" : "");
}

static void serve_item(int dir, struct queue_item *item)
{
	cleanup_arena arena = {0};
	struct record record;
	struct err err;
	int found = record_load(&arena, dir, item->entry->file, &record, &err);

	item->done = true;
	if (found < 0)
		log_event(LOG_WARNING, "a record is left out: %s", err.text);
	if (found > 0 && record.tell && record.pod && record.pod_namespace)
		post(item, &record);
}

static void serve(int dir, struct err *err)
{
	for (bool begins = true;; begins = false) {
		struct arena arena = {0};
		struct record_entry *entries;
		struct queue_item *item;
		struct stat st;
		int n = record_list(&arena, dir, false, &entries);

		if (n < 0 || queue_update(&queue, &arena, entries, (size_t)n, clock_ms()) < 0) {
			arena_free(&arena);
			err_memory(err);
			return;
		}
		if (begins)
			log_event(LOG_INFO, "reads /" RECORD_DIR ": %d records", n);
		while ((item = queue_next(&queue, clock_ms())))
			serve_item(dir, item);
		/* A pod's mount keeps a removed directory alive. */
		if (fstat(dir, &st) < 0 || st.st_nlink == 0) {
			err_set(err, "/" RECORD_DIR " was removed: this program has to be "
				     "started again");
			return;
		}
		(void)sleep(1);
	}
}

/* Pid 1 ignores signals without a handler */
static void end(int signal)
{
	(void)signal;
	_exit(0);
}

static const char usage[] =
	"Usage: oci-rdma-events [--sysroot DIR]\n"
	"\n"
	"Posts events that tell a pod's author why a container did not get what it asked for.\n"
	"The hook, the runtime shim and the NRI plugin leave records below\n"
	"DIR/run/oci-rdma-hook/records. This program runs in a pod on each node, reads the\n"
	"records, and posts them as events of the pods concerned, so that kubectl describe pod\n"
	"shows the reason. It changes nothing on the node.\n"
	"\n"
	"  --sysroot DIR   read the records and the service account below DIR; default /\n"
	"  --version       print the version and exit\n"
	"  -h, --help      print this text and exit\n"
	"\n"
	"Environment: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT name the API server;\n"
	"NODE_NAME is the node's name in the events.\n"
	"\n"
	"Exit status: 0 ended by SIGTERM or SIGINT; 1 failure; 2 wrong command line.\n";

static const struct option long_options[] = {
	COMMON_OPTION("sysroot", required_argument, OPTION_SYSROOT),
	COMMON_OPTION("version", no_argument, OPTION_VERSION),
	COMMON_OPTION("help", no_argument, OPTION_HELP),
	{0},
};

static const struct program program = {EVENTS_NAME, usage, long_options, NULL};

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_handler = end};
	struct options options = {.sysroot = "/"};
	const char *name = getenv("NODE_NAME");
	struct err err;
	int status;
	int root;
	int dir;

	fs_open_standard_streams();
	status = command_line_read(&program, argc, argv, &options, NULL);
	if (status >= 0)
		return status;
	if (argv[optind])
		return command_line_error(EVENTS_NAME, "unexpected operand", argv[optind]);
	log_as_daemon(EVENTS_NAME);
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGINT, &action, NULL);
	snprintf(node, sizeof(node), "%s", name && name[0] ? name : "unknown");
	root = tree_open_root(options.sysroot, &err);
	dir = root < 0 ? -1 : trust_open_dir(root, RECORD_DIR, &err);
	if (dir >= 0 && api_open(root, &err) == 0)
		serve(dir, &err);
	log_event(LOG_ERR, "%s", err.text);
	return 1;
}
