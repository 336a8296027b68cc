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
	LIKELY, /* in most reports */
	MAYBE,  /* look here first */
};

/* Matches lines with all parts, in order and lower case, without .unless behind the first */
struct message {
	const char *part[PARTS_MAX];
	const char *unless;
};

struct completion {
	long status;
	long vendor; /* ANY: any without its own row */
};

/* Failed libibverbs function, without "ibv_", "ibv_exp_" or "mlx5dv_" */
struct call {
	const char *name;
	int reason; /* an errno, ANY or NONE */
};

#define ANY (-1)
#define NONE 0

/* One failing check confirms the row; it is excluded if all .excludes are ok. */
struct check_id {
	const char *id;
	bool excludes;
};

struct known {
	const char *name; /* for scripts */
	enum known_kind kind;
	enum sureness sureness;
	bool last;   /* consequence: shown only if nothing else is */
	bool wanted; /* only with facts.h's network.wanted */
	bool apart;  /* not in a one-node log */
	const char *cause;
	const char *fix;
	const char *look; /* command if no check shows it; "": kubectl describe pod */
	/* Lists end with zeros. */
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
	unsigned long lines; /* 0: not in this log */
	enum symptom_verdict verdict;
	const char *proof; /* value and source, or what was ok */
	char quote[SYMPTOM_QUOTE_MAX + 1];
};
