/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/results.h"

void results_add(struct results *results, const char *what, const char *note,
		 const struct err *problem, const struct hooks_file *file)
{
	struct result result = {.what = what, .note = note};
	struct result *added;

	if (problem)
		result.problem =
			arena_printf(&results->arena, "%s%s%s", problem->text,
				     problem->more ? "\n" : "", problem->more ? problem->more : "");
	if (file)
		result.file = *file;
	added = arena_push(&results->arena, results->item, results->n, results->room);
	if (added)
		*added = result;
}
