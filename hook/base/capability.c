/* SPDX-License-Identifier: Apache-2.0 */
#include "base/capability.h"

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

const char *capability_name(struct arena *arena, int number)
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
