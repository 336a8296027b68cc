/* SPDX-License-Identifier: Apache-2.0 */
/* Which words does a line contain? */
#include "suite.h"

#include "doctor/symptom/line.h"

static struct words words;

static bool holds(const char *text, size_t number)
{
	struct words_found found = {0};
	char *exact = unit_exact(text, strlen(text));
	bool any = words_find(&words, exact, strlen(text), &found);

	free(exact);
	assert_true(any || !words_has(&found, number));
	return words_has(&found, number);
}

UNIT_TEST("symptom: a word is found wherever it stands")
{
	memset(&words, 0, sizeof(words));
	assert_int_equal(words_add(&words, "got completion"), 0);
	assert_int_equal(words_add(&words, "completion"), 1);
	assert_int_equal(words_add(&words, "ibv_"), 2);
	assert_true(holds("got completion", 0) && holds("got completion", 1));
	assert_true(holds("NET/IB : Got Completion from peer", 0));
	assert_true(holds("xgot completio got completion", 0));
	assert_false(holds("got completio", 0));
	assert_false(holds("ot completion", 0));
	assert_true(holds("ot completion", 1));
	assert_true(holds("call to ibv_", 2) && holds("IBV_reg_mr", 2));
	assert_false(holds("ibv", 2));
	assert_false(holds("", 0));
}

/* '[' and '{' share a hash, as do '_' and DEL. */
UNIT_TEST("symptom: only letters have a case")
{
	memset(&words, 0, sizeof(words));
	assert_int_equal(words_add(&words, "net/ib : using ["), 0);
	assert_false(holds("net/ib : using {", 0));
	assert_true(holds("NET/IB : Using [", 0));
}

UNIT_TEST("symptom: a word that does not fit is refused")
{
	char longest[UINT8_MAX + 2];

	memset(&words, 0, sizeof(words));
	memset(longest, 'x', sizeof(longest));
	longest[UINT8_MAX + 1] = '\0';
	assert_int_equal(words_add(&words, "abc"), -1);
	assert_int_equal(words_add(&words, longest), -1);
	for (int i = 0; i < WORDS_MAX; i++)
		assert_int_equal(words_add(&words, "same"), i);
	assert_int_equal(words_add(&words, "same"), -1);
	assert_true(holds("the same", 0) && holds("the same", WORDS_MAX - 1));
}
