/* SPDX-License-Identifier: Apache-2.0 */
/* table.awk generates the data from known/. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define KNOWN_MAX 128
#define PARTS_MAX 3

enum known_kind {
	KNOWN_CAUSE, /* keeps the container from RDMA */
	KNOWN_GATE,  /* failed before RDMA was used */
	KNOWN_NOTE,  /* works, but could be better */
};

enum sureness {
	SURE,   /* no other cause */
	LIKELY, /* in most reports */
	MAYBE,  /* several causes; look here first */
};

/* Matches lines with all parts, in order and lower case, without .unless behind the first */
struct message {
	const char *part[PARTS_MAX];
	const char *unless;
};

/* enum ibv_wc_status, and the vendor's error */
struct completion {
	long status;
	long vendor; /* ANY: without a row of its own */
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
	const char *name; /* stable, for scripts */
	enum known_kind kind;
	enum sureness sureness;
	bool last;   /* a consequence: shown only if nothing else is */
	bool wanted; /* only if the log asks for InfiniBand or RoCE */
	bool apart;  /* not if the log is of one node */
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
	SYMPTOM_OPEN, /* not checked, or inconclusive */
	SYMPTOM_CONFIRMED,
	SYMPTOM_EXCLUDED,
};

struct symptom {
	const struct known *known;
	unsigned long first; /* its line, from 1 */
	unsigned long lines; /* how many; 0: not in this log */
	enum symptom_verdict verdict;
	const char *proof; /* the value and its source, or what was ok */
	char quote[SYMPTOM_QUOTE_MAX + 1];
};
