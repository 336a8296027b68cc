/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/known.h"

#include <string.h>

size_t known_count(void)
{
	return n_known_rows;
}

const struct known *known_at(size_t place)
{
	return place < n_known_rows ? &known_rows[place] : NULL;
}

size_t known_place(const char *name)
{
	size_t place = 0;

	while (place < n_known_rows && strcmp(known_rows[place].name, name) != 0)
		place++;
	return place;
}

const struct known *known_find(const char *name)
{
	return known_at(known_place(name));
}

const char *known_next_step(unsigned areas)
{
	size_t i = 0;

	while (i < n_known_areas - 1 && !(areas & 1u << i))
		i++;
	return known_areas[i].step;
}

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
