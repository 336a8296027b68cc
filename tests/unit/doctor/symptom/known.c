/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of doctor/symptom/known: complete, and different from each other */
#include "suite.h"

#include "doctor/symptom/facts.h"

UNIT_TEST("symptom: each row has a cause and a fix that fit, and says how it is looked at")
{
	size_t facts = 0;

	for (size_t i = 0; i < n_known_rows; i++) {
		const struct known *known = &known_rows[i];

		assert_true(strlen(known->cause) > 20 && strlen(known->cause) < 450);
		assert_true(strlen(known->fix) > 20 && strlen(known->fix) < 600);
		facts += !known->messages[0].part[0] && !known->completions[0].status &&
			 !known->calls[0].name;
		for (size_t j = i + 1; j < n_known_rows; j++)
			assert_string_not_equal(known->cause, known_rows[j].cause);
	}
	assert_in_range(facts, 1, FACTS_MAX);
}

/* What keeps a container or its node from RDMA, and about ten gates for what failed before */
UNIT_TEST("symptom: few rows are gates, and each cause is looked at by a check, a command or "
	  "another line")
{
	size_t gates = 0;

	for (size_t i = 0; i < n_known_rows; i++) {
		const struct known *known = &known_rows[i];

		gates += known->kind == KNOWN_GATE;
		assert_true(known->kind != KNOWN_NOTE || known->checks->id || known->look[0]);
		assert_null(strstr(known->look, "oc "));
	}
	assert_in_range(gates, 8, 13);
}
