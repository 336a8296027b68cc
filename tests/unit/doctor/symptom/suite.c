/* SPDX-License-Identifier: Apache-2.0 */
#include "suite.h"

const char *shown_by(struct arena *arena, const char *text, size_t len, struct symptoms *ret)
{
	char *exact = unit_exact(text, len);
	const char *names = "";
	struct err err = {0};

	assert_int_equal(symptoms_of_text(arena, exact, len, ret, &err), 0);
	free(exact);
	for (size_t i = 0; i < ret->n; i++)
		names = arena_printf(arena, "%s%s%s", names, i ? "," : "",
				     ret->item[i].known->name);
	return names[0] ? names : "?";
}

int main(void)
{
	return unit_main("symptom");
}
