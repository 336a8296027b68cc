/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of doctor/symptom share */
#ifndef TESTS_UNIT_SYMPTOM_SUITE_H
#define TESTS_UNIT_SYMPTOM_SUITE_H

#include "tests/unit/unit.h"

#include "doctor/finding.h"
#include "doctor/symptom/symptom.h"

/* "p2p_blocked,flushed": the subjects of all findings, which must all be symptoms; "?" for nothing
 * known */
const char *subjects(struct findings *findings);

#define WITH_FINDINGS                                                                              \
	WITH_ARENA;                                                                                \
	struct findings findings = {.arena = &arena}

/* One of those that messages.txt has */
const char *any_message(unsigned number);

#endif
