/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/capability.h"

#include <string.h>
#include <sys/capability.h>

#include "core/base/text.h"

#define PREFIX "CAP_"
#define SET_SIZE 64

/* libcap also takes lower case, and numbers. */
static bool is_spelled_as_in_the_specification(const char *name)
{
	return text_starts_with(name, PREFIX) && !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")];
}

int capability_number(const char *name)
{
	cap_value_t number;

	return is_spelled_as_in_the_specification(name) && cap_from_name(name, &number) == 0
		       ? number
		       : -1;
}

/* Its name in the arena; *ret_name is NULL if libcap has none. Returns -1 without memory. */
static int name_of_capability(struct arena *arena, cap_value_t number, const char **ret_name)
{
	char *lower = cap_to_name(number);
	char *name = lower ? arena_strdup(arena, lower) : NULL;

	if (lower)
		(void)cap_free(lower);
	if (!name) {
		arena->failed = true;
		return -1;
	}
	for (char *c = name; *c; c++)
		*c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
	/* libcap writes an unknown capability as a number, with or without the prefix. */
	*ret_name = is_spelled_as_in_the_specification(name) ? name : NULL;
	return 0;
}

const char *const *capability_names(struct arena *arena, uint64_t set)
{
	const char **names =
		arena_alloc(arena, ((size_t)__builtin_popcountll(set) + 1) * sizeof(*names));
	size_t n = 0;

	if (!names)
		return NULL;
	for (cap_value_t number = 0; number < SET_SIZE; number++) {
		if (!(set >> number & 1))
			continue;
		if (name_of_capability(arena, number, &names[n]) < 0)
			return NULL;
		n += names[n] != NULL;
	}
	names[n] = NULL;
	return names;
}
