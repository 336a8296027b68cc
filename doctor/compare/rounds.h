/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of transfers between a job's pods; in none does a pod talk twice. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct meeting {
	size_t connects;
	size_t listens;
};

/* all: every two of n pods meet once, else only ring neighbours. round: from 0. meeting has room
 * for n / 2. Returns how many; 0: after the last round. */
size_t rounds_make(size_t n, bool all, size_t round, struct meeting *ret_meeting);

/* "ROUND CONNECTS LISTENS" lines. Returns 0, or 2 on an error. */
int rounds_print(char *const *names, size_t n, bool all);
