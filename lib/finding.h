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
	const char *id;      /* stable, for scripts */
	const char *subject; /* "mlx5_6", a path; or "" */
	enum finding_status status;
	const char *evidence; /* value and source */
	const char *remedy;   /* or "" */
	const char *values;   /* "state=ACTIVE rate_gbps=400"; or "" */
	const char *seen;     /* a symptom's log line, or "" */
	const char *check;    /* result, command to run, or "" */
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

/* Of the last one: blank-separated NAME=VALUE; VALUE has no blank */
int findings_add_values(struct findings *findings, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Same id and status. finding must be in the list */
bool findings_is_first_of_kind(const struct findings *findings, const struct finding *finding);

const struct finding *findings_next_of_kind(const struct findings *findings,
					    const struct finding *finding);

int findings_add_seen(struct findings *findings, const char *seen, const char *check);

/* "not checkable" */
const char *finding_status_name(enum finding_status status);
