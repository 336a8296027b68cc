/* SPDX-License-Identifier: Apache-2.0 */
/* How a rank of PyTorch ended, as its launcher says: torchrun or torch.multiprocessing */
#pragma once

#include <stdbool.h>

/* All zero at first */
struct ending {
	enum {
		ENDING_NONE,
		ENDING_NETWORK, /* an exception that may come from the network */
		ENDING_STATUS,  /* an exit status or a signal */
		ENDING_OWN,     /* an exception of the program itself */
	} kind;
	long rank;
	unsigned long line;
	char how[160];
	long next; /* the rank whose exception follows; 0: none, or it + 1 */
	bool traceback;
	bool inside; /* the line that was read is a call of a traceback */
};

/* As facts_read */
void ending_read(struct ending *ending, const char *lowered, const char *text,
		 unsigned long number);
