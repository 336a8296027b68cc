/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/nccl/nccl.h"

#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"

#define MAPS_MAX (8 * 1024 * 1024)
#define NAME "libnccl.so."
/* Where NVIDIA's wheels put it (nvidia-nccl-cu12): its name there is without minor version. */
#define WHEEL "/nvidia/nccl/lib/libnccl.so.2"
#define WHEEL_INFO "nvidia_nccl_cu"
#define INFO_ENDING ".dist-info"

/* "2.21.5" of "libnccl.so.2.21.5"; NULL for another file and for "libnccl.so.2" */
static const char *version_of(const char *path)
{
	const char *name = text_base_name(path);

	if (!text_starts_with(name, NAME "2."))
		return NULL;
	return name + strlen(NAME);
}

/* pip keeps "nvidia_nccl_cu12-2.21.5.dist-info" beside the package. *ret_version: NULL if it is not
 * there. */
static int find_wheel(struct arena *arena, const struct target *target, const char *path,
		      const char **ret_version)
{
	size_t len = strlen(path);
	const char **names;
	char *dir;
	int n;

	*ret_version = NULL;
	if (target->root < 0 || len <= strlen(WHEEL) ||
	    strcmp(path + len - strlen(WHEEL), WHEEL) != 0)
		return 0;
	dir = arena_strndup(arena, path, len - strlen(WHEEL));
	n = dir ? tree_list(arena, target->root, dir, INFO_ENDING, &names) : -1;
	for (int i = 0; i < n; i++) {
		const char *dash = strchr(names[i], '-');

		if (!text_starts_with(names[i], WHEEL_INFO) || !dash)
			continue;
		*ret_version =
			arena_strndup(arena, dash + 1, strlen(dash + 1) - strlen(INFO_ENDING));
		return *ret_version ? 0 : -1;
	}
	return n < 0 ? -1 : 0;
}

static int describe_loaded(struct arena *arena, const struct target *target, const char *path,
			   const char **ret_text)
{
	const char *version = version_of(path);

	if (!version && find_wheel(arena, target, path, &version) < 0)
		return -1;
	*ret_text = arena_printf(arena, "%s (%s, which the process has loaded)",
				 version ? version : "of unknown version", path);
	return *ret_text ? 0 : -1;
}

static int find_loaded(struct arena *arena, const struct target *target, const char **ret_text)
{
	struct fs_text text;
	char *line;

	if (target_read(arena, target, "maps", MAPS_MAX, &text) < 0)
		return 0;
	while ((line = text_next_line(&text.bytes))) {
		const char *path = strchr(line, '/');

		if (path && text_starts_with(text_base_name(path), NAME))
			return describe_loaded(arena, target, path, ret_text);
	}
	return 0;
}

/* Several of a directory are all said: which of them the link is cannot be told from names. */
static int find_in(struct arena *arena, const struct target *target, const char *dir,
		   const char **ret_text)
{
	const char **names;
	int n = tree_list(arena, target->root, dir, "", &names);

	for (int i = 0; i < n; i++) {
		const char *version = version_of(names[i]);

		if (!version)
			continue;
		*ret_text = arena_printf(arena, "%s%s%s (/%s/%s)", *ret_text ? *ret_text : "",
					 *ret_text ? " or " : "", version, dir, names[i]);
		if (!*ret_text)
			return -1;
	}
	return n < 0 ? -1 : 0;
}

/* The loader's directories (ld.so(8), and Debian's and Red Hat's ld.so.conf.d) */
static int find_installed(struct arena *arena, const struct target *target, const char **ret_text)
{
	static const char *const dirs[] = {
		"usr/local/lib",
		"usr/lib/x86_64-linux-gnu",
		"usr/lib/aarch64-linux-gnu",
		"usr/lib64",
		"usr/lib",
	};

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]) && !*ret_text; i++) {
		if (find_in(arena, target, dirs[i], ret_text) < 0)
			return -1;
	}
	return 0;
}

int nccl_library_find(struct arena *arena, const struct target *target, const char **ret_text)
{
	*ret_text = NULL;
	if (find_loaded(arena, target, ret_text) < 0)
		return -1;
	if (*ret_text || target->root < 0)
		return 0;
	return find_installed(arena, target, ret_text);
}
