/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed keys to search for */
#pragma once

#include <stdbool.h>

#include "core/container/container.h"

/* These return the line without its priority. Daemons without a journal write to stderr. */

/* Allocates nothing; the next call overwrites the line. priority: syslog(3)'s */
const char *log_event(int priority, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* container may be NULL. Returns as log_event(). */
const char *log_failure(const struct container *container, const char *reason,
			const char *entry_point);

/* Why a container gets nothing. word: "none", "missed", … NULL without memory */
const char *log_reason(struct container *container, int priority, const char *word,
		       const char *reason, const char *entry_point);

/* nccl: where the variables went, or NULL */
void log_grant(struct container *container, bool gives_capabilities, const char *nccl,
	       const char *entry_point);

/* Unless we are a daemon. runc shows a hook's stderr, crun drops it. */
void report_to_caller(const char *line);

/* name must stay valid. */
void log_as_daemon(const char *name);
