/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/engine/containerd.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "admin/engine/engine.h"
#include "admin/engine/toml.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "lib/files.h"

/* Absolute, unique, in reading order */
struct containerd_files {
	const char **path;
	size_t n;
	size_t room;
};

/* Patterns may match whole directories. */
#define FILES_MAX 1024

/* Adds it once. Fails beyond FILES_MAX. */
static int containerd_files_add(struct arena *arena, const char *path,
				struct containerd_files *files, struct err *err)
{
	const char **added;

	for (size_t i = 0; i < files->n; i++) {
		if (strcmp(files->path[i], path) == 0)
			return 0;
	}
	if (files->n == FILES_MAX)
		return err_set(err, "%.256s: containerd's configuration has more than %d files",
			       path, FILES_MAX);
	added = arena_push(arena, files->path, files->n, files->room);
	if (!added)
		return err_memory(err);
	*added = path;
	return 0;
}

/* pattern: without a leading '/' */
static int expand_import(struct arena *arena, int root, const char *dir, const char *pattern,
			 struct containerd_files *files, struct err *err)
{
	size_t len = strcspn(pattern, "/");
	const char *rest = pattern[len] ? pattern + len + 1 : NULL;
	const char *part = arena_strndup(arena, pattern, len);
	bool is_pattern = part && strpbrk(part, "*?[");
	const char **names = &part;
	int n = is_pattern ? tree_list(arena, root, dir, "", &names) : 1;

	if (!part || n < 0)
		return err_memory(err);
	for (int i = 0; i < n; i++) {
		const char *path = arena_printf(arena, "%s/%s", dir, names[i]);

		if (!path)
			return err_memory(err);
		if ((is_pattern && fnmatch(part, names[i], 0) != 0) || !tree_exists(root, path))
			continue;
		if ((rest ? expand_import(arena, root, path, rest, files, err)
			  : containerd_files_add(arena, path, files, err)) < 0)
			return -1;
	}
	return 0;
}

/* Like filepath.Clean: reads a file with two names once. path: absolute */
static void clean(char *path)
{
	const char *part;
	char *rest = path;
	char *end = path;

	while ((part = strsep(&rest, "/"))) {
		size_t len = strlen(part);

		if (len == 2 && memcmp(part, "..", 2) == 0) {
			while (end > path && *--end != '/')
				;
		} else if (len && !(len == 1 && *part == '.')) {
			*end++ = '/';
			memmove(end, part, len);
			end += len;
		}
	}
	*end = '\0';
}

/* Adds an `imports` entry's files (services/server/config, resolveImports), relative to parent's
 * directory; a pattern with '*', in byte order. Early 1.x takes patterns from the daemon's working
 * directory. */
static int containerd_files_import(struct arena *arena, int root, const char *parent,
				   const char *import, struct containerd_files *files,
				   struct err *err)
{
	int dir = (int)(text_base_name(parent) - parent);
	char *path = import[0] == '/' ? arena_strdup(arena, import)
				      : arena_printf(arena, "%.*s%s", dir, parent, import);

	if (!path)
		return err_memory(err);
	clean(path);
	return strchr(import, '*') ? expand_import(arena, root, "", path + 1, files, err)
				   : containerd_files_add(arena, path, files, err);
}

struct reading {
	struct arena *arena;
	struct containerd containerd;
	const char *file;
	int version;
	const char **imports;
	size_t n_imports;
};

const char *containerd_runtime_name(const struct containerd_handler *handler)
{
	return handler->binary[0] ? text_base_name(handler->binary) : "runc";
}

const char *containerd_replaced_by(const struct containerd *containerd,
				   const struct containerd_handler *handler)
{
	bool later = containerd->plugin_file && strcmp(containerd->plugin_file, handler->file) != 0;

	if (!later || containerd->version > 3 ||
	    (containerd->version == 3 && containerd->plugin_version == 3))
		return NULL;
	return containerd->plugin_file;
}

static struct containerd_handler *open_containerd_handler(struct reading *reading, const char *name)
{
	struct containerd *containerd = &reading->containerd;
	struct containerd_handler *added;

	for (size_t i = 0; i < containerd->n_handlers; i++) {
		if (strcmp(containerd->handler[i].name, name) == 0)
			return &containerd->handler[i];
	}
	added = arena_push(reading->arena, containerd->handler, containerd->n_handlers,
			   containerd->handlers_room);
	if (added)
		*added = (struct containerd_handler){
			.name = name, .file = reading->file, .type = "", .binary = ""};
	return added;
}

/* name: "runc", or "runc.options" for its subtable */
static void store_containerd_handler(struct reading *reading, const char *name,
				     const struct toml_item *item)
{
	const char *table = "";
	const char *own = toml_first_part(reading->arena, name, &table);
	bool option = strcmp(table, "options") == 0;
	struct containerd_handler *handler = own ? open_containerd_handler(reading, own) : NULL;

	if (!handler || item->type == TOML_HEADING || (table[0] && !option))
		return;
	if (option && item->type == TOML_STRING && strcmp(item->key, "BinaryName") == 0) {
		handler->binary = item->string;
		handler->file = reading->file;
	} else if (!option && item->type == TOML_STRING && strcmp(item->key, "runtime_type") == 0) {
		handler->type = item->string;
	} else if (!option && item->type == TOML_STRINGS &&
		   strcmp(item->key, "pod_annotations") == 0) {
		handler->pod_annotations = item->strings;
		handler->n_pod_annotations = item->n;
	}
	toml_items_add(reading->arena, &handler->entries, item, table);
}

static const char *const plugins[] = {"io.containerd.grpc.v1.cri", "io.containerd.cri.v1.runtime"};

const char *containerd_plugin(int version)
{
	return version < 2 ? NULL : plugins[version > 2];
}

/* "" for its own, or NULL */
static const char *below_plugin(const char *table)
{
	static const char *const tables[] = {"plugins.\"io.containerd.grpc.v1.cri\"",
					     "plugins.\"io.containerd.cri.v1.runtime\""};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		size_t len = strlen(tables[i]);

		if (text_starts_with(table, tables[i]) && (table[len] == '.' || !table[len]))
			return table + len + (table[len] == '.');
	}
	return NULL;
}

static void store_top(struct reading *reading, const struct toml_item *item)
{
	/* Numbers are kept only as text: "version = 2". */
	if (strcmp(item->key, "version") == 0) {
		reading->version = (int)strtol(strchr(item->spelled, '=') + 1, NULL, 10);
		if (reading->file == reading->containerd.file)
			reading->containerd.version = reading->version;
	}
	if (strcmp(item->key, "imports") == 0 && item->type == TOML_STRINGS) {
		reading->imports = item->strings;
		reading->n_imports = item->n;
	}
}

#define HANDLERS "containerd.runtimes."

static void store_key(struct reading *reading, const struct toml_item *item)
{
	const char *name = below_plugin(item->table);

	if (!item->table[0] && item->type != TOML_HEADING)
		store_top(reading, item);
	if (!name)
		return;
	reading->containerd.plugin_file = reading->file;
	reading->containerd.plugin_version = reading->version;
	if (text_starts_with(name, HANDLERS)) {
		store_containerd_handler(reading, name + strlen(HANDLERS), item);
	} else if (item->type == TOML_STRING && strcmp(name, "containerd") == 0 &&
		   strcmp(item->key, "default_runtime_name") == 0) {
		reading->containerd.default_runtime = item->string;
		reading->containerd.default_file = reading->file;
	}
}

static int parse_containerd_text(struct reading *reading, const char *text, struct err *err)
{
	struct toml_items items;

	if (toml_read(reading->arena, reading->file, text, &items, err) < 0)
		return -1;
	for (size_t i = 0; i < items.n; i++)
		store_key(reading, &items.item[i]);
	return err_of_arena(reading->arena, err);
}

static struct reading begin_table(struct arena *arena, const char *what)
{
	return (struct reading){
		.arena = arena,
		.file = what,
		.containerd = {.file = what, .default_runtime = "runc", .default_file = what},
	};
}

int containerd_read_text(struct arena *arena, const char *what, const struct fs_text *text,
			 struct containerd *ret_containerd, struct err *err)
{
	struct reading reading = begin_table(arena, what);

	if (parse_containerd_text(&reading, text->bytes, err) < 0)
		return -1;
	*ret_containerd = reading.containerd;
	return 0;
}

/* Returns 0, -ENOENT with err set, or -1 */
static int read_toml_file(struct reading *reading, int root, const char *path, struct err *err)
{
	cleanup_fd fd = fs_open(root, path, O_RDONLY, RESOLVE_IN_ROOT);
	struct fs_text text;

	if (fd < 0) {
		err_sys(err, -fd, "%s", path);
		return fd == -ENOENT ? -ENOENT : -1;
	}
	reading->file = path;
	reading->version = 0;
	reading->n_imports = 0;
	if (fs_read_regular(reading->arena, fd, ENGINE_FILE_SIZE_MAX, path, &text, err) < 0)
		return -1;
	return parse_containerd_text(reading, text.bytes, err);
}

static int read_imported(struct reading *reading, int root, struct containerd_files *files,
			 struct err *err)
{
	for (size_t i = 0; i < files->n; i++) {
		if (i > 0 && read_toml_file(reading, root, files->path[i], err) < 0)
			return -1;
		for (size_t k = 0; k < reading->n_imports; k++) {
			if (containerd_files_import(reading->arena, root, reading->file,
						    reading->imports[k], files, err) < 0)
				return -1;
		}
	}
	return 0;
}

int containerd_read(struct arena *arena, int root, const char *path,
		    struct containerd *ret_containerd, struct err *err)
{
	const char *what = arena_printf(arena, "/%s", path);
	struct reading reading = begin_table(arena, what);
	struct containerd_files files = {0};
	int status;

	if (!what || containerd_files_add(arena, what, &files, err) < 0)
		return err_memory(err);
	status = read_toml_file(&reading, root, what, err);
	if (status < 0)
		return status;
	if (read_imported(&reading, root, &files, err) < 0)
		return -1;
	*ret_containerd = reading.containerd;
	return 0;
}
