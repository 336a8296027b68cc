/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/amount.h"

#include <stdio.h>

static const struct unit {
	const char *name;
	unsigned shift;
} units[] = {{"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}};

const char *amount_text(uint64_t bytes, char text[AMOUNT_SIZE])
{
	uint64_t rest = bytes;
	size_t len = 0;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (rest >> units[i].shift == 0)
			continue;
		len += (size_t)snprintf(
			text + len, AMOUNT_SIZE - len, "%s%llu %s", len ? " + " : "",
			(unsigned long long)(rest >> units[i].shift), units[i].name);
		rest &= (1ULL << units[i].shift) - 1;
	}
	if (rest || !len)
		(void)snprintf(text + len, AMOUNT_SIZE - len, "%s%llu byte%s", len ? " + " : "",
			       (unsigned long long)rest, rest == 1 ? "" : "s");
	return text;
}
