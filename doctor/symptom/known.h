/* SPDX-License-Identifier: Apache-2.0 */
/* What a log may show, and what is to be said of it. All of it is data, in the text files of
 * known/, of which the build makes C by table.awk. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define KNOWN_MAX 128
#define PARTS_MAX 3

enum known_kind {
	KNOWN_CAUSE, /* keeps the container from RDMA */
	KNOWN_GATE,  /* failed before RDMA was used */
	KNOWN_NOTE,  /* works, but not as well as it could */
};

/* How strong the evidence is */
enum sureness {
	SURE,   /* the message has no other cause */
	LIKELY, /* in most of its reports it was this */
	MAYBE,  /* several causes print it; this is where to look first */
};

/* A line that has each part, in this order and in lower case, and behind the first no unless */
struct message {
	const char *part[PARTS_MAX];
	const char *unless;
};

/* A work completion: enum ibv_wc_status, and the vendor's error */
struct completion {
	long status;
	long vendor; /* ANY for those that no other row has */
};

/* A function of libibverbs that failed, without "ibv_", "ibv_exp_" or "mlx5dv_" */
struct call {
	const char *name;
	int reason; /* an errno, ANY or NONE */
};

#define ANY (-1)
#define NONE 0

/* A finding that confirms the row if it fails; if all with excludes are ok, they exclude it */
struct check_id {
	const char *id;
	bool excludes;
};

struct known {
	const char *name; /* stable, for scripts */
	enum known_kind kind;
	enum sureness sureness;
	bool last;   /* follows from an error that was logged before: told where nothing else is */
	bool wanted; /* only of a log that asks for InfiniBand or RoCE */
	bool apart;  /* not of a log of one node, whose ranks need no network */
	const char *cause;
	const char *fix;
	const char *look; /* what shows it where no check does; "": kubectl describe pod */
	/* Each list ends with a row of zeros. */
	const struct check_id *checks;
	const struct message *messages;
	const struct completion *completions;
	const struct call *calls;
};

extern const struct known known_rows[];
extern const size_t n_known_rows;

/* ---- a row that a log shows ---- */

#define SYMPTOM_QUOTE_MAX 280

enum symptom_verdict {
	SYMPTOM_OPEN,      /* nothing was looked at (no proof), or that says neither */
	SYMPTOM_CONFIRMED, /* a check fails that confirms it */
	SYMPTOM_EXCLUDED,  /* a check that is ok excludes it */
};

struct symptom {
	const struct known *known;
	unsigned long first; /* the line that shows it, from 1 */
	unsigned long lines; /* that do; 0: not in this log */
	enum symptom_verdict verdict;
	const char *proof; /* of the verdict: the value, and where it was read; or what was ok */
	char quote[SYMPTOM_QUOTE_MAX + 1];
};
