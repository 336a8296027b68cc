/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "doctor/compare/job.h"

/* Fills in .fact, in the arena; without memory only the arena says so. */
void pod_find_facts(struct arena *arena, struct pod *pod);

/* "hcas", as in JSON; in capitals the column's head */
const char *fact_name(enum fact fact);

/* The findings that it comes from: "port" */
const char *fact_finding(enum fact fact);
