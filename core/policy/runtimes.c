/* SPDX-License-Identifier: Apache-2.0 */
#include "core/policy/runtimes.h"

#include <errno.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"

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

static int read_lines(struct arena *arena, struct fs_text *text, struct runtimes *runtimes,
		      struct err *err)
{
	char *rest = text->bytes;
	size_t line = 0;
	size_t lines = 1;

	for (size_t i = 0; i < text->len; i++) {
		lines += text->bytes[i] == '\n';
		if (!text->bytes[i])
			return err_set(err, "/" RUNTIMES_PATH ": contains a NUL byte");
	}
	runtimes->path = arena_alloc(arena, lines * sizeof(*runtimes->path));
	if (!runtimes->path)
		return err_memory(err);
	while (rest) {
		char *path = trim(strsep(&rest, "\n"));

		line++;
		if (!path[0] || path[0] == '#')
			continue;
		if (path[0] != '/' || text_has_control(path))
			return err_set(err,
				       "/" RUNTIMES_PATH
				       ": line %zu: '%.64s' is not an absolute path",
				       line, path);
		runtimes->path[runtimes->n++] = path;
	}
	return 0;
}

int runtimes_read(struct arena *arena, int root, struct runtimes *ret_runtimes, struct err *err)
{
	cleanup_fd fd = trust_open(root, RUNTIMES_PATH, true, "/" RUNTIMES_PATH, err);
	struct runtimes runtimes = {0};
	struct fs_text text;

	*ret_runtimes = runtimes;
	if (fd == -ENOENT)
		return 0;
	if (fd < 0 ||
	    fs_read_regular(arena, fd, RUNTIMES_SIZE_MAX, "/" RUNTIMES_PATH, &text, err) < 0 ||
	    read_lines(arena, &text, &runtimes, err) < 0)
		return -1;
	*ret_runtimes = runtimes;
	return 0;
}

const char *runtimes_named(const char *called)
{
	return text_starts_with(called, SHIM_NAME "-") ? called + strlen(SHIM_NAME "-") : NULL;
}

/* CRI-O's own packages bring their runtimes along, newer than the distribution's: these fit the
 * CRI-O that writes their config.json. Debian's runc is in sbin. */
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
		for (size_t k = 0; k < N_DIRECTORIES; k++, n++) {
			paths[n] = arena_printf(arena, "%s/%s", directories[k], installed[i]);
			if (!paths[n])
				return NULL;
		}
	}
	paths[n] = NULL;
	return paths;
}
