/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/seen.h"

void match_add(struct match *match, size_t symptom, const char *at, const char *from)
{
	size_t i = 0;

	while (i < match->n && match->seen[i].symptom != symptom)
		i++;
	if (i < match->n && match->seen[i].at <= at)
		return;
	match->seen[i] = (struct seen){symptom, at, from};
	match->n += i == match->n;
}
