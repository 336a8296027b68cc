/* SPDX-License-Identifier: Apache-2.0 */
/* What a check or a log shows: one line of evidence and one of remedy. Checks only add findings;
 * how they are shown, counted and turned into an exit status is the report's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"

enum finding_status {
	FINDING_OK,
	FINDING_WARN,      /* works, but not as well as it could, or not for everyone */
	FINDING_FAIL,      /* RDMA or NCCL will not work like this */
	FINDING_UNCHECKED, /* could not be seen from here; the evidence says why */
};

struct finding {
	const char *id;      /* stable, for scripts: "memlock", "iommu_group" */
	const char *subject; /* what of several it is about: "mlx5_6", a path; "" if there is one */
	enum finding_status status;
	const char *evidence; /* the value, and where it was read */
	const char *remedy;   /* what to do; "" where there is nothing to do */
	const char *values;   /* the evidence for programs: "state=ACTIVE rate_gbps=400"; or "" */
	const char *seen;     /* the log's line that shows a symptom; else "" */
	const char
		*check; /* what a check found about the symptom, or the command to run; else "" */
};

/* In the order in which they were found. Everything lives in the arena. */
struct findings {
	struct arena *arena;
	struct finding *item;
	size_t n;
	size_t room;
	struct err err; /* why a check was not made; at first, that there is no memory */
};

/* Adds one; subject and remedy may be NULL for "". Texts are cut to one line: control characters
 * become '?'. Returns 0, or -1 without memory. */
int findings_add(struct findings *findings, const char *id, const char *subject,
		 enum finding_status status, const char *remedy, const char *evidence, ...)
	__attribute__((format(printf, 6, 7)));

/* The last one's values: NAME=VALUE, separated by blanks, of which a value has none */
int findings_add_values(struct findings *findings, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Findings are of one kind if they have the same id and status. finding: one of the list's items */
bool findings_is_first_of_kind(const struct findings *findings, const struct finding *finding);

/* The next one of the same kind, or NULL */
const struct finding *findings_next_of_kind(const struct findings *findings,
					    const struct finding *finding);

/* The same for the last one's line of a log, and what a check says of it */
int findings_add_seen(struct findings *findings, const char *seen, const char *check);

/* "ok", "warn", "fail", "not checkable" */
const char *finding_status_name(enum finding_status status);
