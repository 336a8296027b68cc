/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/entry_points.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "lib/files.h"
#include "lib/nri_status.h"

#define FILE_MAX ((size_t)1024 * 1024)
#define PATH_SIZE 512

struct search {
	struct arena *arena;
	int root;
	unsigned ways;
};

/* '#' outside quotes begins a comment. */
static bool next_path(const char **at, char path[PATH_SIZE])
{
	const char *c = *at;

	while (*c) {
		const char quote[] = {*c, '\n', '\0'};
		size_t len;

		if (*c == '#')
			c += strcspn(c, "\n");
		else if (*c != '"' && *c != '\'')
			c++;
		else {
			len = strcspn(++c, quote);
			*at = c + len + (c[len] == quote[0]);
			if (c[0] == '/' && len < PATH_SIZE) {
				snprintf(path, PATH_SIZE, "%.*s", (int)len, c);
				return true;
			}
			c = *at;
		}
	}
	return false;
}

static int read_hooks_dir(struct search *search, const char *dir, const char *suffix,
			  bool is_hooks_d);

/* is_hooks_d: a hooks.d file; else an engine's configuration, naming the shim or hooks.d
 * directories */
static int read_hooks_file(struct search *search, const char *file, bool is_hooks_d)
{
	char path[PATH_SIZE];
	struct fs_text text;
	int status = tree_read(search->arena, search->root, file, FILE_MAX, &text);

	if (status < 0)
		return status == -ENOMEM ? -1 : 0;
	for (const char *at = text.bytes; next_path(&at, path);) {
		if (!is_hooks_d && read_hooks_dir(search, path, ".json", true) < 0)
			return -1;
		/* Engines skip hooks without a program; such a runtime starts no container. */
		if (tree_check_executable(search->root, path) < 0)
			continue;
		if (!is_hooks_d && is_shim_name(path))
			search->ways |= WAY_SHIM;
		if (!is_hooks_d || strcmp(text_base_name(path), HOOK_NAME) != 0)
			continue;
		if (strstr(text.bytes, "\"createRuntime\"") || strstr(text.bytes, "\"prestart\""))
			search->ways |= WAY_HOOK;
		if (strstr(text.bytes, "\"precreate\""))
			search->ways |= WAY_PRECREATE;
	}
	return 0;
}

static int read_hooks_dir(struct search *search, const char *dir, const char *suffix,
			  bool is_hooks_d)
{
	const char **names;
	/* CRI-O also reads hidden files. */
	int n = tree_list(search->arena, search->root, dir, suffix, &names);

	for (int i = 0; i < n; i++) {
		const char *file = arena_printf(search->arena, "%s/%s", dir, names[i]);

		if (!file || read_hooks_file(search, file, is_hooks_d) < 0)
			return -1;
	}
	return n < 0 ? -1 : 0;
}

static int read_engines(struct search *search)
{
	static const char *const hooks_dirs[] = {"/usr/share/containers/oci/hooks.d",
						 "/run/containers/oci/hooks.d",
						 "/etc/containers/oci/hooks.d"};
	static const char *const dirs[] = {"etc/crio/crio.conf.d",
					   "etc/containers/containers.conf.d",
					   "etc/containerd/conf.d"};
	static const char *const files[] = {"etc/crio/crio.conf", "etc/containers/containers.conf",
					    "usr/share/containers/containers.conf",
					    "etc/containerd/config.toml", "etc/docker/daemon.json"};

	/* CRI-O reads only the first (pkg/config, DefaultConfig), or what its files name. */
	bool crio = tree_exists(search->root, "etc/crio");

	for (size_t i = 0; i < (crio ? 1 : sizeof(hooks_dirs) / sizeof(hooks_dirs[0])); i++) {
		if (read_hooks_dir(search, hooks_dirs[i], ".json", true) < 0)
			return -1;
	}
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		if (read_hooks_dir(search, dirs[i], "", false) < 0)
			return -1;
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (read_hooks_file(search, files[i], false) < 0)
			return -1;
	}
	return 0;
}

int ways_find(struct arena *arena, int sysroot, bool recorded, unsigned *ret_ways, struct err *err)
{
	struct search search = {.arena = arena, .root = sysroot};
	struct nri_status status;
	struct err unread;

	if (read_engines(&search) < 0)
		return err_memory(err);
	if (nri_status_find(arena, sysroot, recorded, &status, &unread) < 0) {
		if (unread.errnum == ENOMEM)
			return err_memory(err);
	} else if (status.state == NRI_SERVES) {
		search.ways |= WAY_NRI;
	}
	*ret_ways = search.ways;
	return 0;
}

struct ways_names ways_names(unsigned ways)
{
	/* enum way's order */
	static const char *const known[] = {"hook", "shim", "precreate", "NRI"};
	struct ways_names names = {""};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (ways >> i & 1)
			text_add_item(names.text, sizeof(names.text), known[i]);
	}
	return names;
}
