/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/shim/last_choice.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/text.h"

/* One link for each config that shims on this node are told to read */
static void link_path(const struct options *options, char *path, size_t size)
{
	const char *config = options->config ? options->config : "/" CONFIG_PATH;

	(void)snprintf(path, size, "%s/run/oci-rdma-hook.%016" PRIx64, options->sysroot,
		       text_hash(config));
}

/* state_dir and the runtimes, a line each: none of them holds a line break. False if it is too long
 * for a link. */
static bool describe(const struct config *config, char *text, size_t size)
{
	size_t len = (size_t)snprintf(text, size, "%s", config->state_dir);

	for (size_t i = 0; i < config->n_runtimes && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "\n%s", config->runtimes[i]);
	return len < size;
}

void last_choice_save(const struct options *options, const struct config *config)
{
	static char text[PATH_MAX];
	static char present[PATH_MAX];
	static char path[PATH_MAX];
	static char temporary[PATH_MAX + 16];

	link_path(options, path, sizeof(path));
	if (!describe(config, text, sizeof(text)) ||
	    (fs_read_link(AT_FDCWD, path, present, sizeof(present)) >= 0 &&
	     strcmp(text, present) == 0))
		return;
	(void)snprintf(temporary, sizeof(temporary), "%s.%d", path, getpid());
	if (symlink(text, temporary) == 0 && rename(temporary, path) < 0)
		(void)unlink(temporary);
}

/* Where others may write, they may have made it. */
static bool is_ours(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode) &&
	       (st.st_uid == 0 || st.st_uid == geteuid());
}

static size_t lines(const char *text)
{
	size_t n = 1;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

int last_choice_load(struct arena *arena, const struct options *options, struct config *config)
{
	static char text[PATH_MAX];
	static char path[PATH_MAX];
	const char **runtimes;
	size_t n = 0;
	char *rest;

	link_path(options, path, sizeof(path));
	if (!is_ours(path) || fs_read_link(AT_FDCWD, path, text, sizeof(text)) < 0)
		return -1;
	rest = arena_strdup(arena, text);
	runtimes = arena_alloc(arena, lines(text) * sizeof(*runtimes));
	if (!rest || !runtimes)
		return -1;
	config->state_dir = strsep(&rest, "\n");
	while (rest)
		runtimes[n++] = strsep(&rest, "\n");
	config->runtimes = runtimes;
	config->n_runtimes = n;
	return 0;
}
