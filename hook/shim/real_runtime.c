/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/shim/real_runtime.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/names.h"
#include "core/policy/runtimes.h"

#define ROUNDS_MAX 4

static bool is_ourselves(const struct stat *st)
{
	struct stat own;

	return stat("/proc/self/exe", &own) == 0 && own.st_dev == st->st_dev &&
	       own.st_ino == st->st_ino;
}

int real_runtime_count_round(void)
{
	const char *before = getenv(SHIM_ROUNDS);
	char rounds[2] = "1";

	if (before && (strlen(before) != 1 || before[0] < '1' || before[0] >= '0' + ROUNDS_MAX))
		return -1;
	if (before)
		rounds[0] = (char)(before[0] + 1);
	/* It fails for want of memory alone: a round that is not counted is one more at worst. */
	(void)setenv(SHIM_ROUNDS, rounds, 1);
	return 0;
}

static bool can_run(void *context, const char *path)
{
	struct stat st;

	(void)context;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0 &&
	       !is_ourselves(&st);
}

const char *real_runtime_find(struct arena *arena, const struct config *config, const char *called)
{
	return runtimes_find(arena, config, called, can_run, NULL);
}
