/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA by trying it: opens the devices through libibverbs, registers memory, and transfers data to
 * another pod. */
#pragma once

#include <stdbool.h>

#include "doctor/doctor.h"
#include "doctor/finding.h"

/* Adds what it finds. exec: process 1 has a higher memlock limit. -1: out of memory only */
int verbs_check(struct findings *findings, const struct doctor *doctor, bool exec);
