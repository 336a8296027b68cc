/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In front of every file that is built for `make coverage`. _exit(2) would lose what was counted;
 * and the counters' own allocations, when they are written at the end, are none of those that
 * tests/cli/tools/nomem.c makes fail.
 */
#pragma once

#include <unistd.h>

void __gcov_dump(void);
__attribute__((weak)) void nomem_end(void);

/* Runs before the counters' own destructors, whose priority is 100. */
__attribute__((destructor, used)) static void coverage_end(void)
{
	if (nomem_end)
		nomem_end();
}

/* Before the status is known: a child is killed as soon as its last write is read. */
#define _exit(status) (coverage_end(), __gcov_dump(), (_exit)(status))
#define execv(path, argv) (coverage_end(), (execv)(path, argv))
