/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/missed.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <syslog.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/base/trust.h"
#include "core/report/log.h"
#include "core/report/outcome.h"
#include "nri/cgroup.h"
#include "nri/missed_check.h"
#include "nri/session.h"
#include "nri/worker.h"

int missed_list(struct arena *arena, int sysroot, struct record **ret_records, struct err *err)
{
	cleanup_fd dir = trust_open_dir(sysroot, RECORD_DIR, err);
	struct record_entry *entries;
	int n = dir == -ENOENT ? 0 : dir < 0 ? -1 : record_list(arena, dir, false, &entries);
	struct record *records = n < 0 ? NULL : arena_alloc(arena, (size_t)n * sizeof(*records));
	int kept = 0;

	if (!records)
		return dir < 0 && dir != -ENOENT ? -1 : err_memory(err);
	for (int i = 0; i < n; i++) {
		struct err ignored;

		if ((entries[i].result == RECORD_MISSED || entries[i].result == RECORD_MENDED) &&
		    record_load(arena, dir, entries[i].file, &records[kept], &ignored) == 1 &&
		    !cgroup_is_gone(sysroot, records[kept].cgroup))
			kept++;
	}
	*ret_records = records;
	return kept;
}

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
	missed_stop(missed);
	*missed->unseen = look->known->lost;
	if (look->known->lost)
		log_event(LOG_WARNING,
			  "Synchronize: not all containers are looked at: the runtime listed more "
			  "than there is room for, or sent what is no message of NRI; run "
			  "oci-rdma-doctor on the node");
	if (children_start(missed->children, &missed->child, examine_running, (void *)look,
			   LOOK_PATIENCE_MS) < 0)
		log_event(LOG_ERR, "no child process could be started: containers that were "
				   "created while the plugin was away are not looked for");
}

static void give_up(struct missed *missed, const char *why)
{
	log_event(LOG_ERR, "not all containers of before were looked at: %s", why);
	++*missed->unseen;
	missed_stop(missed);
}

bool missed_tend(struct missed *missed)
{
	struct pollfd wait = {.fd = missed->child.in, .events = POLLIN};
	uint64_t unseen;

	if (wait.fd < 0)
		return false;
	if (poll(&wait, 1, 0) <= 0) {
		if (clock_ms() < missed->child.deadline)
			return false;
		give_up(missed, "it took too long: check whether the node's /sys or one of its "
				"disks hangs (dmesg)");
	} else if (read(wait.fd, &unseen, sizeof(unseen)) == sizeof(unseen)) {
		*missed->unseen += unseen;
		missed_stop(missed);
	} else {
		give_up(missed, "the process that looked at them has ended early: its reason is "
				"above, or in the kernel's log (dmesg)");
	}
	return true;
}
