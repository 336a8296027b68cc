/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

/* All zero at first */
struct ending {
	enum {
		ENDING_NONE,
		ENDING_NETWORK, /* an exception, perhaps from the network */
		ENDING_STATUS,  /* exit status or signal */
		ENDING_OWN,     /* the program's own exception */
	} kind;
	long rank;
	unsigned long line;
	char how[160];
	long next; /* rank + 1 of the exception that follows; 0: none */
	bool traceback;
	bool inside; /* the last line was a traceback's call */
};

/* As facts_read */
void ending_read(struct ending *ending, const char *lowered, const char *text,
		 unsigned long number);
