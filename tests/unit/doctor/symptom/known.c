/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of doctor/symptom/known, as they are: each is whole, and different from the others */
#include "suite.h"

UNIT_TEST("symptom: each row has a cause and a fix that fit, and says how it is looked at")
{
	for (size_t i = 0; i < n_known_rows; i++) {
		const struct known *known = &known_rows[i];

		assert_true(strlen(known->cause) > 20 && strlen(known->cause) < 450);
		assert_true(strlen(known->fix) > 20 && strlen(known->fix) < 600);
		assert_true(known->messages[0].part[0] || known->completions[0].status ||
			    known->calls[0].name || known->kind == KNOWN_NOTE); /* facts */
		for (size_t j = i + 1; j < n_known_rows; j++)
			assert_string_not_equal(known->cause, known_rows[j].cause);
	}
}

/* What excludes a cause has to be one that could confirm it. */
UNIT_TEST("symptom: what excludes is among what confirms")
{
	for (size_t i = 0; i < n_known_rows; i++) {
		char *exclude = strdup(known_rows[i].exclude);

		for (char *rest = exclude, *id; (id = strsep(&rest, ", "));)
			assert_true(!id[0] || strstr(known_rows[i].check, id));
		free(exclude);
	}
}
