/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

#include "doctor/doctor.h"
#include "lib/finding.h"

/* exec: process 1 has a higher memlock limit */
int verbs_check(struct findings *findings, const struct doctor *doctor, bool exec);
