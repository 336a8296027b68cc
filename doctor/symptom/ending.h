/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

/* All zero at first */
struct ending {
	enum {
		ENDING_NONE,
		ENDING_NETWORK, /* perhaps from the network */
		ENDING_STATUS,
		ENDING_OWN,
	} kind;
	long rank;
	unsigned long line;
	char how[160];
	long next; /* rank + 1 of the next exception, or 0 */
	bool traceback;
	bool inside; /* the last line was a traceback's call */
};

/* As facts_read */
void ending_read(struct ending *ending, const char *lowered, const char *text,
		 unsigned long number);
