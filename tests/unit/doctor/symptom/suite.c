/* SPDX-License-Identifier: Apache-2.0 */
#include "suite.h"

const char *subjects(struct findings *findings)
{
	const char *names = "";

	for (size_t i = 0; i < findings->n; i++) {
		assert_string_equal(findings->item[i].id, "symptom");
		names = arena_printf(findings->arena, "%s%s%s", names, i ? "," : "",
				     findings->item[i].subject[0] ? findings->item[i].subject
								  : "?");
	}
	return names;
}

int main(void)
{
	return unit_main("symptom");
}
