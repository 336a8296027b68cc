/* SPDX-License-Identifier: Apache-2.0 */
/* Tries RDMA: opens devices through libibverbs, registers memory, transfers data to another pod. */
#pragma once

#include <stdbool.h>

#include "doctor/doctor.h"
#include "lib/finding.h"

/* Adds findings. exec: process 1 has a higher memlock limit. Returns -1 only without memory. */
int verbs_check(struct findings *findings, const struct doctor *doctor, bool exec);
