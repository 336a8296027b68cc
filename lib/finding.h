/* SPDX-License-Identifier: Apache-2.0 */
/* Evidence and remedy, one line each. Checks only add; main.c derives the exit status. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"

enum finding_status {
	FINDING_OK,
	FINDING_WARN,      /* works, but not fully or for everyone */
	FINDING_FAIL,      /* RDMA or NCCL will not work */
	FINDING_UNCHECKED, /* not visible here; the evidence says why */
};

struct finding {
	const char *id;      /* stable, for scripts: "memlock" */
	const char *subject; /* which one: "mlx5_6", a path; or "" */
	enum finding_status status;
	const char *evidence; /* the value and its source */
	const char *remedy;   /* what to do, or "" */
	const char *values;   /* for programs: "state=ACTIVE rate_gbps=400"; or "" */
	const char *seen;     /* a symptom's line in the log, or "" */
	const char *check;    /* what a check found about it, a command to run, or "" */
};

struct findings {
	struct arena *arena;
	struct finding *item;
	size_t n;
	size_t room;
	struct err err; /* why a check cannot run; preset to "no memory" */
};

/* NULL is "". Control characters become '?' */
int findings_add(struct findings *findings, const char *id, const char *subject,
		 enum finding_status status, const char *remedy, const char *evidence, ...)
	__attribute__((format(printf, 6, 7)));

/* Sets the last finding's values: NAME=VALUE, separated by blanks, so no value has one. */
int findings_add_values(struct findings *findings, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Same id and status. finding must be in the list */
bool findings_is_first_of_kind(const struct findings *findings, const struct finding *finding);

const struct finding *findings_next_of_kind(const struct findings *findings,
					    const struct finding *finding);

/* Sets the last one's log line, and what a check says about it */
int findings_add_seen(struct findings *findings, const char *seen, const char *check);

/* "ok", "warn", "fail", "not checkable" */
const char *finding_status_name(enum finding_status status);
