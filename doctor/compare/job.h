/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job at one look: the doctor's reports of its containers beside each other. All lives in one
 * arena.
 *
 *	job_reports.c  reads them
 *	job_facts.c    what is compared: the limit, the HCAs, their rate, …
 *	differences.c  who differs from most others, and what fails
 *	job_table.c    prints both
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/json/document.h"
#include "doctor/finding.h"

/* In the order of causes: what comes first explains what comes behind it. */
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
	FACT_PINNED, /* shown; it is a program's own */
	FACTS,
};

struct reported {
	const char *id;
	const char *subject;
	const char *evidence;
	enum finding_status status;
	const struct json_node *values;
};

/* A pod, as its report and the report's file name describe it */
struct pod {
	const char *name;
	const char *node;   /* "": not known */
	const char *silent; /* why there is no report; NULL: there is one */
	struct reported *item;
	size_t n;
	const char *fact[FACTS]; /* "": not known */
};

/* One thing in which pods differ from the others, or that fails */
struct difference {
	const char *what; /* a fact's or finding's id: "hcas", "allocation" */
	struct pod **pod;
	size_t n;
	const char *value;  /* theirs */
	const char *others; /* that of most others; "": there is no such, or all are alike */
	size_t n_others;
	const char *evidence; /* of the first of them; "" */
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
