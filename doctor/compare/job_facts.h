/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "doctor/compare/job.h"

/* Fills in each pod's .fact. Returns 0, or -1 without memory. */
int job_find_facts(struct job *job);

/* "hcas", as in JSON; in capitals the column's head */
const char *fact_name(enum fact fact);

/* The findings that it comes from: "port" */
const char *fact_finding(enum fact fact);
