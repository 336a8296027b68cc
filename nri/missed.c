/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/missed.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/report/report.h"

#define NEVER INT64_MAX

void missed_begin(struct missed *missed, const struct options *options)
{
	missed->options = options;
	missed->in = -1;
	missed->deadline = NEVER;
	missed->check_at = NEVER;
	missed->status.item = missed->shown;
}

/* ---- the list ---- */

static void show(struct missed *missed)
{
	struct nri_missed_status *status = &missed->status;

	status->n = missed->n_items;
	status->open = 0;
	for (size_t i = 0; i < missed->n_items; i++) {
		const struct look_report *item = &missed->items[i];
		bool mended = item->kind == LOOK_MENDED;

		missed->shown[i] = (struct nri_missed){item->id, item->who, mended};
		status->open += !mended;
	}
	status->open += status->unnamed;
}

static void take(struct missed *missed, const struct look_report *report)
{
	struct nri_missed_status *status = &missed->status;
	struct look_report *item;

	if (report->kind == LOOK_END) {
		missed->ended = true;
		return;
	}
	if (report->kind == LOOK_UNSEEN) {
		status->unseen++;
		return;
	}
	status->found += !report->known;
	status->mended += report->kind == LOOK_MENDED && !report->known;
	if (missed->n_items == NRI_MISSED_MAX) {
		status->unnamed += report->kind == LOOK_MISSED;
		return;
	}
	item = &missed->items[missed->n_items++];
	*item = *report;
	text_make_printable(item->id);
	text_make_printable(item->who);
}

void missed_add(struct missed *missed, const struct look_report *report)
{
	take(missed, report);
	if (missed->check_at == NEVER)
		missed->check_at = clock_ms() + MISSED_EACH_MS;
	show(missed);
}

static bool check(struct missed *missed)
{
	size_t kept = 0;
	size_t n = missed->n_items;

	if (clock_ms() < missed->check_at)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!cgroup_is_gone(missed->options->sysroot, missed->items[i].cgroup))
			missed->items[kept++] = missed->items[i];
	}
	missed->n_items = kept;
	missed->check_at = kept ? clock_ms() + MISSED_EACH_MS : NEVER;
	show(missed);
	return kept < n;
}

/* ---- the child ---- */

static pid_t start(const struct missed *missed, const struct look *look, int *ret_in)
{
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	child = child_fork(missed->closed);
	if (child == 0) {
		(void)close(ends[0]);
		look_at_all(look, ends[1]);
		_exit(0);
	}
	(void)close(ends[1]);
	if (child < 0)
		(void)close(ends[0]);
	else
		*ret_in = ends[0];
	return child;
}

static void reap(struct missed *missed)
{
	size_t kept = 0;

	for (size_t i = 0; i < missed->n_leaving; i++) {
		if (waitpid(missed->leaving[i], NULL, WNOHANG) == 0)
			missed->leaving[kept++] = missed->leaving[i];
	}
	missed->n_leaving = kept;
}

static void stop(struct missed *missed)
{
	if (missed->in < 0)
		return;
	/* One that hangs in a driver is not waited for. */
	(void)kill(missed->child, SIGKILL);
	missed->leaving[missed->n_leaving++] = missed->child;
	(void)close(missed->in);
	missed->in = -1;
	missed->deadline = NEVER;
}

void missed_look(struct missed *missed, const struct look *look)
{
	stop(missed);
	missed->n_items = 0;
	missed->status.unnamed = 0;
	missed->status.unseen = !look->whole;
	missed->check_at = NEVER;
	show(missed);
	if (!look->whole)
		log_event(LOG_WARNING,
			  "Synchronize: not all containers are looked at: the runtime has told of "
			  "more than there is room for, or what is no message of NRI; run "
			  "oci-rdma-doctor on the node");
	reap(missed);
	missed->ended = false;
	missed->child =
		missed->n_leaving < MISSED_LEAVING_MAX ? start(missed, look, &missed->in) : -1;
	if (missed->child < 0) {
		log_event(LOG_ERR, "no child process could be started: containers that were "
				   "created while the plugin was away are not looked for");
		return;
	}
	missed->deadline = clock_ms() + LOOK_PATIENCE_MS;
}

/* A report is written at once, so that it comes whole. */
static ssize_t receive(const struct missed *missed, struct look_report *report)
{
	struct pollfd wait = {.fd = missed->in, .events = POLLIN};

	if (poll(&wait, 1, 0) <= 0)
		return -1;
	return read(missed->in, report, sizeof(*report));
}

/* Some containers were not looked at: that counts as one that could not be seen. */
static void give_up(struct missed *missed, const char *why)
{
	log_event(LOG_ERR, "not all containers of before were looked at: %s", why);
	missed->status.unseen++;
}

static bool hear(struct missed *missed)
{
	struct look_report report;
	bool changed = false;
	ssize_t n = -1;

	reap(missed);
	while (missed->in >= 0 && (n = receive(missed, &report)) == (ssize_t)sizeof(report)) {
		report.id[sizeof(report.id) - 1] = '\0';
		report.who[sizeof(report.who) - 1] = '\0';
		take(missed, &report);
		changed = true;
	}
	if (missed->in >= 0 && n >= 0) {
		if (!missed->ended)
			give_up(missed, "the process that looked at them has ended early: its "
					"reason is above, or in the kernel's log (dmesg)");
		stop(missed);
		changed = true;
	} else if (missed->in >= 0 && clock_ms() >= missed->deadline) {
		give_up(missed, "it took too long: check whether the node's /sys or one of its "
				"disks hangs (dmesg)");
		stop(missed);
		changed = true;
	}
	if (changed && missed->n_items && missed->check_at == NEVER)
		missed->check_at = clock_ms() + MISSED_EACH_MS;
	show(missed);
	return changed;
}

bool missed_tend(struct missed *missed)
{
	bool heard = hear(missed);

	return check(missed) || heard;
}

int64_t missed_next(const struct missed *missed)
{
	return missed->deadline < missed->check_at ? missed->deadline : missed->check_at;
}

void missed_end(struct missed *missed)
{
	stop(missed);
	reap(missed);
}
