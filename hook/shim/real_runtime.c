/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/shim/real_runtime.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/policy/runtimes.h"

/* How often the shim has been passed on the way to the runtime */
#define ROUNDS_VARIABLE "OCI_RDMA_RUNTIME_ROUNDS"
#define ROUNDS_MAX 4

static bool is_ourselves(const struct stat *st)
{
	struct stat own;

	return stat("/proc/self/exe", &own) == 0 && own.st_dev == st->st_dev &&
	       own.st_ino == st->st_ino;
}

/* A script of that name, as wrappers are, is none of them. */
static bool is_crun_or_runc(const char *path)
{
	const char *name = text_base_name(path);
	char magic[2] = {0};
	cleanup_fd fd = -1;

	if (strcmp(name, "crun") != 0 && strcmp(name, "runc") != 0)
		return false;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 || read(fd, magic, sizeof(magic)) != sizeof(magic) || magic[0] != '#' ||
	       magic[1] != '!';
}

int real_runtime_count_round(const char *runtime)
{
	const char *before = getenv(ROUNDS_VARIABLE);
	char rounds[2] = "1";

	if (is_crun_or_runc(runtime))
		return unsetenv(ROUNDS_VARIABLE);
	if (before && (strlen(before) != 1 || before[0] < '1' || before[0] >= '0' + ROUNDS_MAX))
		return -1;
	if (before)
		rounds[0] = (char)(before[0] + 1);
	/* It fails for want of memory alone: a round that is not counted is one more at worst. */
	(void)setenv(ROUNDS_VARIABLE, rounds, 1);
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
