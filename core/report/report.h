/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines that go to the node's journal: one for each grant, denial or failure, and one for each
 * container that has an annotation oci-rdma-hook.io/ and gets nothing. The keys of a line are
 * fixed, so that it can be searched.
 */
#ifndef OCI_RDMA_REPORT_H
#define OCI_RDMA_REPORT_H

#include "core/outcome.h"
#include "core/record/record.h"

/* ---- the log ---- */

/*
 * Logs one line and leaves a record of it; neither if a record shows that another entry point has
 * already decided the same "nothing" or "denied". A failure after a part of the grant has two
 * lines: what was given, and what was not. If the run must fail, its caller also gets the reason
 * (core/base/tell.h).
 *
 * Several entry points together make one line "grant:"; what a later one adds, such as the shim's
 * capabilities after the NRI plugin, is a line "addition:".
 */
void outcome_log(struct container *container, const struct outcome *outcome,
		 const struct entry_point *entry);

/*
 * Why a container gets nothing. word: "none", "missed", … Returns the line, in the arena, or NULL
 * without memory.
 */
const char *log_reason(struct container *container, int priority, const char *word,
		       const char *reason, const char *way_in);

/* To syslog and to our caller (tell.h): runc shows a hook's stderr to the user, crun drops it. */
void log_failure(const struct container *container, const struct err *err, const char *way_in);

/* To syslog only: a shim must not write where its engine reads the runtime's output. */
void log_failure_silently(const struct container *container, const struct err *err,
			  const char *way_in);

/*
 * For a daemon: its lines have this name, which must stay valid. Lines that syslog does not take go
 * to stderr, and no line goes to both. In a container there is no syslog.
 */
void log_as_daemon(const char *name);

/* An event of the daemon itself, not of a container. priority: LOG_INFO, … of syslog(3) */
void log_event(int priority, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- records ---- */

/*
 * Leaves a record (core/record/store.h) of what was decided about a container. reason NULL: the
 * plan's. A container that does not ask and has no proven device leaves none, and a grant none if
 * there is already a record of one. Returns 0, or -1, which is logged: the container has what it
 * got.
 */
int remember(const struct options *options, struct container *container, enum record_result result,
	     const char *reason, const char *entry_point);

#endif
