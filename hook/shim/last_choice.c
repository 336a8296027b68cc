/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/shim/last_choice.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/text.h"

/* Returns where it ends, or NULL where it does not fit. Printing takes ten times as long, and each
 * start of a runtime passes here. */
static char *put(char *at, const char *end, const char *line)
{
	size_t len = strlen(line);

	if (!at || (size_t)(end - at) < len + 1)
		return NULL;
	memcpy(at, line, len + 1);
	return at + len;
}

/* One link for each config that shims on this node are told to read. False if that is too long. */
static bool link_path(const struct options *options, char *path, size_t size)
{
	uint64_t hash = text_hash(options->config ? options->config : "/" CONFIG_PATH);
	char digits[17] = "";
	char *at = put(path, path + size, options->sysroot);

	for (int i = 0; i < 16; i++)
		digits[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
	at = put(at, path + size, "/run/oci-rdma-hook.");
	return put(at, path + size, digits) != NULL;
}

/* state_dir and the runtimes, a line each: none of them holds a line break. False if it is too long
 * for a link. */
static bool describe(const struct config *config, char *text, size_t size)
{
	const char *end = text + size;
	char *at = put(text, end, config->state_dir);

	for (size_t i = 0; i < config->n_runtimes; i++)
		at = put(put(at, end, "\n"), end, config->runtimes[i]);
	return at != NULL;
}

void last_choice_save(const struct options *options, const struct config *config)
{
	static char text[PATH_MAX];
	static char present[PATH_MAX];
	static char path[PATH_MAX];
	static char temporary[PATH_MAX + 16];

	if (!link_path(options, path, sizeof(path)) || !describe(config, text, sizeof(text)) ||
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

	if (!link_path(options, path, sizeof(path)) || !is_ours(path) ||
	    fs_read_link(AT_FDCWD, path, text, sizeof(text)) < 0)
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
