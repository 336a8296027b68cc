/* SPDX-License-Identifier: Apache-2.0 */
#include "core/policy/runtimes.h"

#include <errno.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/base/trust.h"

#define WHAT "/" RUNTIMES_PATH
#define BLANKS " \t\r"

static char *trim(char *line)
{
	size_t len;

	line += strspn(line, BLANKS);
	len = strlen(line);
	while (len && strchr(BLANKS, line[len - 1]))
		len--;
	line[len] = '\0';
	return line;
}

int runtimes_read(struct arena *arena, int root, struct runtimes *ret_runtimes, struct err *err)
{
	cleanup_fd fd = trust_open(root, RUNTIMES_PATH, true, WHAT, err);
	struct runtimes runtimes = {0};
	struct fs_text text;
	size_t room = 0;
	size_t line = 1;
	char *rest;

	*ret_runtimes = runtimes;
	if (fd == -ENOENT)
		return 0;
	if (fd < 0 || fs_read_regular(arena, fd, RUNTIMES_SIZE_MAX, WHAT, &text, err) < 0)
		return -1;
	if (strlen(text.bytes) < text.len)
		return err_set(err, WHAT ": contains a NUL byte");
	/* An empty file is not missing. */
	runtimes.path = arena_alloc(arena, 0);
	for (rest = text.bytes; rest; line++) {
		char *path = trim(strsep(&rest, "\n"));
		const char **added;

		if (!path[0] || path[0] == '#')
			continue;
		if (path[0] != '/' || text_has_control(path))
			return err_set(err, WHAT ": line %zu: '%.64s' is not an absolute path",
				       line, path);
		added = arena_push(arena, runtimes.path, runtimes.n, room);
		if (added)
			*added = path;
	}
	*ret_runtimes = runtimes;
	return err_of_arena(arena, err);
}

const char *runtimes_named(const char *called)
{
	return text_starts_with(called, SHIM_NAME "-") ? called + strlen(SHIM_NAME "-") : NULL;
}

/* CRI-O's own runtimes fit its config.json: they come first. Debian's runc is in sbin. */
static const char *const directories[] = {"/usr/libexec/crio", "/usr/bin", "/usr/sbin",
					  "/usr/local/bin", "/usr/local/sbin"};

#define N_DIRECTORIES (sizeof(directories) / sizeof(directories[0]))

const char **runtimes_to_try(struct arena *arena, const struct runtimes *runtimes,
			     const char *called)
{
	const char *name = runtimes_named(called);
	const char *const installed[] = {name ? name : "crun", name ? NULL : "runc"};
	const char **paths =
		arena_alloc(arena, (runtimes->n + 2 * N_DIRECTORIES + 1) * sizeof(*paths));
	size_t n = 0;

	if (!paths)
		return NULL;
	for (size_t i = 0; i < runtimes->n; i++) {
		if (!name || strcmp(text_base_name(runtimes->path[i]), name) == 0)
			paths[n++] = runtimes->path[i];
	}
	for (size_t i = 0; i < 2 && installed[i] && (name || !runtimes->path); i++) {
		for (size_t k = 0; k < N_DIRECTORIES; k++)
			paths[n++] = arena_printf(arena, "%s/%s", directories[k], installed[i]);
	}
	paths[n] = NULL;
	return arena->failed ? NULL : paths;
}
