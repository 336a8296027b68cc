/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers between the pods of a job, rail by rail: which are slow or failed? */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "doctor/compare/job.h"

/* What one end says of one device; both ends say something of each transfer. */
struct transfer {
	const char *from;
	const char *to;
	const char *rail; /* the device of .from; "?": none was used */
	double gbps;      /* from .from to .to; 0: failed */
	bool slow;        /* below PAIRS_SLOW_PERCENT of the rail's median */
	const char *evidence;
};

#define PAIRS_SLOW_PERCENT 80

struct rail {
	const char *name;
	double median; /* 0: all failed */
};

struct pairs {
	struct transfer *transfer;
	size_t n;
	size_t room;
	struct rail *rail;
	size_t n_rails;
	size_t room_rails;
	const char **pod; /* in the order of the reports */
	size_t n_pods;
	size_t slow;
	size_t failed;
};

/* job: reports POD@PEER.json. In its arena; returns 0, or -1 without memory. */
int pairs_judge(const struct job *job, struct pairs *ret_pairs);

/* matrix: else a list. Schema 1. Return 0, or -1 on a write error. */
int pairs_print_text(FILE *out, const struct pairs *pairs, bool matrix);
int pairs_print_json(FILE *out, const struct pairs *pairs);

/* As compare_reports() */
int pairs_compare(char *const *files, size_t n, bool matrix, bool json);
