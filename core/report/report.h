/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines that go to the node's journal: one for each grant, denial or failure, and one for each
 * container that has an annotation oci-rdma-hook.io/ and gets nothing. The keys of a line are
 * fixed, so that it can be searched.
 */
#ifndef OCI_RDMA_REPORT_H
#define OCI_RDMA_REPORT_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/container/container.h"
#include "core/options.h"
#include "core/record/record.h"

/* ---- the log ---- */

/* What a run of ours gave, beside the limit */
struct applied {
	bool changed;      /* anything: a run that finds all in place has nothing to log */
	bool capabilities; /* all of the plan's */
	const char *nccl;  /* where its variables went: "env", "/etc/nccl.conf"; NULL: none */
};

/*
 * way_in: "createRuntime", "poststart", … Several entry points together make one line "grant:";
 * what a later one adds, such as the shim's capabilities after the NRI plugin, is a line
 * "addition:".
 */
void log_grant(struct container *container, const struct applied *applied, const char *way_in);

/* To syslog, and to our caller (tell.h) if the container must fail for it. */
void log_denial(struct container *container, bool must_fail, const char *way_in);

/*
 * Why a container gets nothing. word: "none", "missed", … Returns the line, in the arena, or NULL
 * without memory.
 */
const char *log_reason(struct container *container, int priority, const char *word,
		       const char *reason, const char *way_in);

/* Whether to log a container that gets nothing: if it has an annotation of ours. */
bool log_wants_none(const struct container *container);

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
