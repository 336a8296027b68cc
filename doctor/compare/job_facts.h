/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "doctor/compare/job.h"

void pod_find_facts(struct arena *arena, struct pod *pod);

/* As in JSON */
const char *fact_name(enum fact fact);

const char *fact_finding(enum fact fact);
