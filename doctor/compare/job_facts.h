/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "doctor/compare/job.h"

/* Fills in .fact, in the arena; without memory sets only arena.failed. */
void pod_find_facts(struct arena *arena, struct pod *pod);

/* "hcas", as in JSON; in capitals it heads the column */
const char *fact_name(enum fact fact);

/* The finding that shows it: "port" */
const char *fact_finding(enum fact fact);
