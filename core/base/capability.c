/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/capability.h"

#include <ctype.h>
#include <string.h>
#include <sys/capability.h>

int capability_number(const char *name)
{
	cap_value_t value;

	/* libcap also reads lower case and numbers, and stops at the first odd character: no
	 * runtime does. */
	if (strncmp(name, "CAP_", 4) != 0 ||
	    name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] != '\0')
		return -1;
	if (cap_from_name(name, &value) < 0 || value < 0 || value > 63)
		return -1;
	return value;
}

static const char *name_of(struct arena *arena, int number)
{
	char *lower = cap_to_name((cap_value_t)number);
	char *name;

	if (!lower)
		return NULL;
	name = arena_strdup(arena, lower);
	(void)cap_free(lower);
	for (char *c = name; c && *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return name;
}

const char *const *capability_names(struct arena *arena, uint64_t set)
{
	const char **names =
		arena_alloc(arena, ((size_t)__builtin_popcountll(set) + 1) * sizeof(*names));
	size_t n = 0;

	if (!names)
		return NULL;
	for (int number = 0; number < 64; number++) {
		if (!(set >> number & 1))
			continue;
		names[n] = name_of(arena, number);
		if (!names[n++])
			return NULL;
	}
	return names;
}
