/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the node's journal; their keys are fixed so that they can be searched. */
#pragma once

#include <stdbool.h>

#include "core/container/container.h"

/*
 * These return the line without its priority, for report_to_caller(). A daemon's line that the
 * journal does not take goes to stderr: in a container there is no journal.
 */

/* Any event. priority: LOG_INFO, … of syslog(3). Allocates nothing; the next one overwrites the
 * line. */
const char *log_event(int priority, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A failure, of this container unless NULL; a line of log_event() */
const char *log_failure(const struct container *container, const char *reason,
			const char *entry_point);

/* Why a container gets nothing. word: "none", "missed", … In the arena; NULL without memory */
const char *log_reason(struct container *container, int priority, const char *word,
		       const char *reason, const char *entry_point);

/* A grant, or what is added to that of another entry point. gives_capabilities: the plan's; nccl:
 * where its variables went, NULL: nowhere */
void log_grant(struct container *container, bool gives_capabilities, const char *nccl,
	       const char *entry_point);

/* To our caller (core/base/stderr_line.h), unless we are a daemon: runc shows a hook's stderr to
 * the user, crun drops it. A shim writes only what keeps its container from starting. */
void report_to_caller(const char *line);

/* From now on the lines have this name, which must stay valid. */
void log_as_daemon(const char *name);
