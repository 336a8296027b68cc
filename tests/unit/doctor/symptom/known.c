/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of doctor/symptom/known, as they are: each is whole, and different from the others */
#include "suite.h"

#include "doctor/symptom/known.h"

/* A row that was forgotten, or a text that does not fit, would say nothing or half of it. */
static void has_its_texts(const struct known *known)
{
	assert_true(known->status == FINDING_FAIL || known->status == FINDING_WARN);
	assert_true(strlen(known->cause) > 20 && strlen(known->cause) < 450);
	assert_true(strlen(known->remedy) > 20);
	assert_true(strlen(known->remedy) + strlen(known->confirm) < 600);
	assert_ptr_equal(known_find(known->name), known);
	for (const struct message *message = known->messages; message->part[0]; message++) {
		assert_true(message->from && message->from[0]);
		for (size_t i = 0; i < PARTS_MAX && message->part[i]; i++) {
			for (const char *c = message->part[i]; *c; c++)
				assert_false(*c >= 'A' && *c <= 'Z');
		}
	}
}

static void every_symptom_has_its_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < known_count(); i++) {
		const struct known *known = known_at(i);

		assert_non_null(known->name);
		has_its_texts(known);
		assert_true((!known->completions[0].status && !known->calls[0].name) ||
			    known->from != NULL);
	}
}

/* Two rows with one cause would print it twice: they are one row, or one turns into the other. */
static void a_cause_is_that_of_one_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < known_count(); i++) {
		for (size_t j = i + 1; j < known_count(); j++)
			assert_string_not_equal(known_at(i)->cause, known_at(j)->cause);
	}
}

static void a_turn_leads_to_a_symptom_or_nowhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < known_count(); i++) {
		const struct known *known = known_at(i);

		for (const struct turn *turn = known->turns; turn->to; turn++)
			assert_true(!turn->to[0] || known_find(turn->to));
	}
}

void add_known_tests(struct unit_suite *suite)
{
	unit_add(suite, "symptom: each list of a row ends, each turn leads to a row",
		 a_turn_leads_to_a_symptom_or_nowhere, NULL);
	unit_add(suite, "symptom: a cause is that of one row", a_cause_is_that_of_one_row, NULL);
	unit_add(suite, "symptom: each has a cause, a remedy and a name of its own",
		 every_symptom_has_its_texts, NULL);
}
