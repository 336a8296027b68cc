/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/missed.h"

#include <poll.h>
#include <signal.h>
#include <syslog.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/report/report.h"

/* ---- the list ---- */

static void show(struct missed *missed)
{
	struct nri_missed_status *status = missed->status;

	status->item = missed->shown;
	status->open = status->unnamed;
	for (size_t i = 0; i < status->n; i++) {
		const struct look_report *item = &missed->items[i];

		missed->shown[i] =
			(struct nri_missed){item->id, item->who, item->kind == LOOK_MENDED};
		status->open += item->kind != LOOK_MENDED;
	}
}

void missed_add(struct missed *missed, const struct look_report *report)
{
	struct nri_missed_status *status = missed->status;

	missed->ended |= report->kind == LOOK_END;
	status->unseen += report->kind == LOOK_UNSEEN;
	if (report->kind != LOOK_MISSED && report->kind != LOOK_MENDED)
		return;
	if (status->n < NRI_MISSED_MAX) {
		struct look_report *item = &missed->items[status->n++];

		*item = *report;
		text_make_printable(item->id);
		text_make_printable(item->who);
	} else {
		status->unnamed += report->kind == LOOK_MISSED;
	}
	show(missed);
}

/* Returns whether one has ended. */
static bool forget_ended(struct missed *missed)
{
	size_t n = missed->status->n;
	size_t kept = 0;
	struct err ignored;
	cleanup_fd root = tree_open_root(missed->options->sysroot, &ignored);

	missed->checked_at = clock_ms();
	for (size_t i = 0; i < n; i++) {
		if (!cgroup_is_gone(root, missed->items[i].cgroup))
			missed->items[kept++] = missed->items[i];
	}
	missed->status->n = kept;
	show(missed);
	return kept < n;
}

/* ---- the child ---- */

void missed_stop(struct missed *missed)
{
	if (missed->child.in < 0)
		return;
	(void)kill(missed->child.pid, SIGKILL);
	(void)close(missed->child.in);
	missed->child.in = -1;
}

void missed_look(struct missed *missed, const struct look *look)
{
	struct nri_missed_status *status = missed->status;

	missed_stop(missed);
	status->n = 0;
	status->unnamed = 0;
	status->unseen = !look->whole;
	show(missed);
	if (!look->whole)
		log_event(LOG_WARNING,
			  "Synchronize: not all containers are looked at: the runtime has told of "
			  "more than there is room for, or what is no message of NRI; run "
			  "oci-rdma-doctor on the node");
	missed->ended = false;
	missed->checked_at = clock_ms();
	if (children_start(missed->children, &missed->child, look_at_all, (void *)look,
			   LOOK_PATIENCE_MS) < 0)
		log_event(LOG_ERR, "no child process could be started: containers that were "
				   "created while the plugin was away are not looked for");
}

/* Some containers were not looked at: that counts as one that could not be seen. */
static void give_up(struct missed *missed, const char *why)
{
	log_event(LOG_ERR, "not all containers of before were looked at: %s", why);
	missed->status->unseen++;
	missed_stop(missed);
}

/* A report is written at once, so that it comes whole. */
static bool hear(struct missed *missed)
{
	struct pollfd wait = {.fd = missed->child.in, .events = POLLIN};
	struct look_report report;
	bool changed = false;

	while (missed->child.in >= 0 && poll(&wait, 1, 0) > 0) {
		changed = true;
		if (read(missed->child.in, &report, sizeof(report)) == (ssize_t)sizeof(report)) {
			missed_add(missed, &report);
			continue;
		}
		if (missed->ended)
			missed_stop(missed);
		else
			give_up(missed, "the process that looked at them has ended early: its "
					"reason is above, or in the kernel's log (dmesg)");
	}
	if (missed->child.in < 0 || clock_ms() < missed->child.deadline)
		return changed;
	give_up(missed, "it took too long: check whether the node's /sys or one of its disks hangs "
			"(dmesg)");
	return true;
}

bool missed_tend(struct missed *missed)
{
	bool changed = hear(missed);

	if (clock_ms() >= missed->checked_at + MISSED_EACH_MS)
		changed |= forget_ended(missed);
	return changed;
}
