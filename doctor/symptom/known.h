/* SPDX-License-Identifier: Apache-2.0 */
/* table.awk generates the data from known/. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define KNOWN_MAX 128
#define PARTS_MAX 3

enum known_kind {
	KNOWN_CAUSE,
	KNOWN_GATE,
	KNOWN_NOTE,
};

enum sureness {
	SURE,   /* no other cause */
	LIKELY, /* the cause in most reports */
	MAYBE,  /* look here first */
};

/* Matches a line with all parts, in order and lower case, and without .unless behind the first
 * part */
struct message {
	const char *part[PARTS_MAX];
	const char *unless;
};

struct completion {
	long status;
	long vendor; /* ANY: without a row of its own */
};

/* A failed libibverbs function, without "ibv_", "ibv_exp_" or "mlx5dv_" */
struct call {
	const char *name;
	int reason; /* an errno, ANY or NONE */
};

#define ANY (-1)
#define NONE 0

/* A failing check confirms the row; if all checks with excludes are ok, they exclude it. */
struct check_id {
	const char *id;
	bool excludes;
};

struct known {
	const char *name; /* for scripts */
	enum known_kind kind;
	enum sureness sureness;
	bool last;   /* a consequence: shown only if nothing else is */
	bool wanted; /* only if the log asks for InfiniBand or RoCE */
	bool apart;  /* not if the log is of one node */
	const char *cause;
	const char *fix;
	const char *look; /* command if no check shows it; "": kubectl describe pod */
	/* Lists end with a row of zeros. */
	const struct check_id *checks;
	const struct message *messages;
	const struct completion *completions;
	const struct call *calls;
};

extern const struct known known_rows[];
extern const size_t n_known_rows;

#define SYMPTOM_QUOTE_MAX 280

enum symptom_verdict {
	SYMPTOM_OPEN, /* or inconclusive */
	SYMPTOM_CONFIRMED,
	SYMPTOM_EXCLUDED,
};

struct symptom {
	const struct known *known;
	unsigned long first; /* from 1 */
	unsigned long lines; /* how many; 0: not in this log */
	enum symptom_verdict verdict;
	const char *proof; /* the value and its source, or what was ok */
	char quote[SYMPTOM_QUOTE_MAX + 1];
};
