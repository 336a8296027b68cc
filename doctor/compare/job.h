/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares reports of a job's containers, in one arena.
 *
 *	job_reports.c  reads them
 *	job_facts.c    derives what is compared
 *	differences.c  finds outliers and failures
 *	rounds.c       who transfers with whom, when
 *	pairs.c        judges these transfers
 *	*_table.c      print the results
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/json/document.h"
#include "lib/finding.h"

/* In the order of causes */
enum fact {
	FACT_DECISION,
	FACT_LIMIT,
	FACT_HCAS,
	FACT_LINK,
	FACT_RATE,
	FACT_GID,
	FACT_RAILS,
	FACT_MTU,
	FACT_GPUDIRECT,
	FACT_NEAREST,
	FACT_DRIVER,
	FACT_PINNED, /* shown, not compared */
	FACTS,
};

/* A pod keeps only failures, warnings and transfers, without values. */
struct reported {
	const char *id;
	const char *subject;
	const char *evidence;
	enum finding_status status;
	const struct json_node *values;
	double gbps; /* of a transfer; 0: none */
};

struct pod {
	const char *name;
	const char *node;   /* "": unknown */
	const char *silent; /* why no report, or NULL */
	struct reported *item;
	size_t n;
	const char *fact[FACTS]; /* "": unknown */
};

/* A difference between pods, or a failure */
struct difference {
	const char *what; /* id of a fact or finding: "hcas" */
	struct pod **pod;
	size_t n;
	const char *value;  /* theirs */
	const char *others; /* the majority's; "": none, or all alike */
	size_t n_others;
	const char *evidence; /* of the first pod, or "" */
};

struct job {
	struct arena *arena;
	struct pod *pod;
	size_t n;
	size_t answers; /* pods with a report */
	struct difference *difference;
	size_t n_differences;
	size_t room;
};
