/* SPDX-License-Identifier: Apache-2.0 */
#include "core/policy/quantity.h"

#include <stdlib.h>
#include <string.h>

static int multiplier(const char *suffix, uint64_t *ret)
{
	static const char decimal[] = "kMGTPE";
	static const char binary[] = "KMGTPE";
	const char *set = suffix[0] && suffix[1] == 'i' ? binary : decimal;
	uint64_t base = set == binary ? 1024 : 1000;
	const char *place;

	*ret = 1;
	if (!suffix[0])
		return 0;
	place = strchr(set, suffix[0]);
	if (!place || suffix[set == binary ? 2 : 1] != '\0')
		return -1;
	for (const char *p = set; p <= place; p++)
		*ret *= base;
	return 0;
}

int quantity_parse(const char *text, uint64_t *ret_bytes, struct err *err)
{
	size_t digits = strspn(text, "0123456789");
	uint64_t factor;
	unsigned long long number;
	char *suffix;

	if (strcmp(text, "unlimited") == 0) {
		*ret_bytes = MEMLOCK_UNLIMITED;
		return 0;
	}
	if (!digits)
		return err_set(err,
			       "'%.64s' is not an amount of memory; write an amount such as 64Gi, "
			       "a number of bytes, or unlimited",
			       text);
	number = strtoull(text, &suffix, 10);
	if (multiplier(suffix, &factor) < 0)
		return err_set(err,
			       "'%.64s' has an unknown unit; known: Ki Mi Gi Ti Pi Ei k M G T P E",
			       text);
	/* For values above 64 bits strtoull(3) gives the largest value, which is also too large. */
	if (number > (MEMLOCK_UNLIMITED - 1) / factor)
		return err_set(err, "'%.64s' is larger than 2^64-2 bytes; write unlimited", text);
	if (number == 0)
		return err_set(err, "0 would leave no memory to register; write an amount above 0");
	*ret_bytes = number * factor;
	return 0;
}
