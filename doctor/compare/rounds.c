/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/compare/rounds.h"

#include <stdio.h>

#include "core/base/arena.h"
#include "core/command_line.h"

/* 0-1 2-3 …, then 1-2 3-4 … and last-first, which takes a third round if n is odd. */
static size_t make_ring(size_t n, size_t round, struct meeting *ret_meeting)
{
	size_t count = 0;

	if (round > 2 || n < 2)
		return 0;
	for (size_t i = round; round < 2 && i + 1 < n; i += 2)
		ret_meeting[count++] = (struct meeting){i, i + 1};
	if (n > 2 && round == 1 + n % 2)
		ret_meeting[count++] = (struct meeting){n - 1, 0};
	return count;
}

/* Circle method: the last stays, the others turn. If n is odd, the last is nobody: its
 * partner rests. */
static size_t make_circle(size_t n, size_t round, struct meeting *ret_meeting)
{
	size_t turning = n + n % 2 - 1;
	size_t count = 0;

	if (n < 2 || round >= turning)
		return 0;
	if (n % 2 == 0)
		ret_meeting[count++] = (struct meeting){n - 1, round};
	for (size_t i = 1; i <= turning / 2; i++)
		ret_meeting[count++] =
			(struct meeting){(round + i) % turning, (round + turning - i) % turning};
	return count;
}

size_t rounds_make(size_t n, bool all, size_t round, struct meeting *ret_meeting)
{
	return all ? make_circle(n, round, ret_meeting) : make_ring(n, round, ret_meeting);
}

int rounds_print(char *const *names, size_t n, bool all)
{
	cleanup_arena arena = {0};
	struct meeting *meeting = arena_alloc(&arena, (n / 2 + 1) * sizeof(*meeting));
	size_t count = 1;

	if (!meeting) {
		fprintf(stderr, "oci-rdma-doctor: no memory\n");
		return EXIT_USAGE;
	}
	for (size_t round = 0; count; round++) {
		count = rounds_make(n, all, round, meeting);
		for (size_t i = 0; i < count; i++)
			printf("%zu %s %s\n", round, names[meeting[i].connects],
			       names[meeting[i].listens]);
	}
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	fprintf(stderr, "oci-rdma-doctor: stdout could not be written\n");
	return EXIT_USAGE;
}
