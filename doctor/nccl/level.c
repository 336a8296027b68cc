/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/nccl/nccl.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *nccl_level(const char *value)
{
	static const char *const names[] = {"LOC", "NVL", "NVB", "C2C", "PIX",
					    "PXB", "P2C", "PXN", "PHB", "SYS"};
	static const char *const old[] = {"LOC", "PIX", "PXB", "PHB", "SYS"};
	const size_t last = sizeof(old) / sizeof(old[0]) - 1;
	unsigned long number;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], value) == 0)
			return names[i];
	}
	if (value[0] < '0' || value[0] > '9')
		return NULL;
	number = strtoul(value, NULL, 0);
	return old[number > last ? last : number];
}
