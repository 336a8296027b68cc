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

/* One of those that messages.txt has */
const char *any_message(unsigned number);

/* ---- one for each file ---- */

void add_known_tests(struct unit_suite *suite);
void add_threads_tests(struct unit_suite *suite);
void add_words_tests(struct unit_suite *suite);
void add_told_tests(struct unit_suite *suite);
void add_hostile_tests(struct unit_suite *suite);

#endif
