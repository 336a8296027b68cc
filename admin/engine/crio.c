/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/engine/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"

#define RUNTIME "crio.runtime"
#define HANDLERS RUNTIME ".runtimes."

struct merging {
	struct arena *arena;
	struct crio crio;
	const char *file;
};

struct crio_handler *crio_find_handler(const struct crio *crio, const char *name)
{
	for (size_t i = 0; i < crio->n_handlers; i++) {
		if (strcmp(crio->handler[i].name, name) == 0)
			return &crio->handler[i];
	}
	return NULL;
}

const char *const *crio_list_hooks_dirs(struct arena *arena, const struct crio *crio)
{
	const char **list = arena_alloc(arena, (crio->hooks_dirs.n + 1) * sizeof(*list));

	for (size_t i = 0; list && i < crio->hooks_dirs.n; i++)
		list[i] = crio->hooks_dirs.item[i];
	return list;
}

/* ---- a handler ---- */

/* The one that a file speaks of. What an earlier file said of that name is over. */
static struct crio_handler *open_handler(struct merging *merging, const char *name)
{
	struct crio *crio = &merging->crio;
	struct crio_handler *handler = crio_find_handler(crio, name);

	if (handler && handler->file == merging->file)
		return handler;
	if (!handler)
		handler = arena_push(merging->arena, crio->handler, crio->n_handlers,
				     crio->handlers_room);
	if (!handler)
		return NULL;
	*handler = (struct crio_handler){
		.name = name,
		.runtime_path = "",
		.runtime_type = "",
		.monitor_path = "",
		.file = merging->file,
	};
	return handler;
}

static void take_own(struct crio_handler *handler, const char *key, const struct toml_value *value)
{
	if (strcmp(key, "inherit_default_runtime") == 0)
		handler->inherits = value->spelled_len >= strlen("true") &&
				    memcmp(value->spelled + value->spelled_len - strlen("true"),
					   "true", strlen("true")) == 0;
	if (value->type != TOML_STRING)
		return;
	if (strcmp(key, "runtime_path") == 0)
		handler->runtime_path = value->string;
	else if (strcmp(key, "runtime_type") == 0)
		handler->runtime_type = value->string;
	else if (strcmp(key, "monitor_path") == 0)
		handler->monitor_path = value->string;
}

/* An inline table is kept as it is spelled: what it holds came before it. name: as toml_spell */
static void drop_table(struct crio_handler *handler, const char *name)
{
	size_t len = strlen(name);

	while (handler->entries.n) {
		const char *table = handler->entries.item[handler->entries.n - 1].table;

		if (strncmp(table, name, len) != 0 || (table[len] && table[len] != '.'))
			return;
		handler->entries.n--;
	}
}

/* name: "crun", or "crun.default_annotations" for a table below it. value: NULL for its heading */
static int take_handler(struct merging *merging, const char *name, const char *key,
			const struct toml_value *value, struct err *err)
{
	const char *table = "";
	const char *own = toml_first_part(merging->arena, name, &table);
	struct crio_handler *handler = own ? open_handler(merging, own) : NULL;
	const char *inside;

	if (!handler)
		return err_memory(err);
	if (!value)
		return 0;
	if (!table[0])
		take_own(handler, key, value);
	if (!table[0] && value->type == TOML_TABLE) {
		inside = toml_spell(merging->arena, key);
		if (!inside)
			return err_memory(err);
		drop_table(handler, inside);
	}
	return toml_entries_add(merging->arena, &handler->entries, table, key, value) < 0
		       ? err_memory(err)
		       : 0;
}

/* ---- the rest ---- */

static void take_list(const struct merging *merging, const struct toml_value *value,
		      struct crio_list *list)
{
	if (value->type == TOML_STRINGS)
		*list = (struct crio_list){
			.item = value->strings, .n = value->n, .file = merging->file};
}

static int take(void *context, const char *table, const char *key, const struct toml_value *value,
		struct err *err)
{
	struct merging *merging = context;
	struct crio *crio = &merging->crio;

	if (text_starts_with(table, HANDLERS))
		return take_handler(merging, table + strlen(HANDLERS), key, value, err);
	if (value && strcmp(table, "crio") == 0 && strcmp(key, "root") == 0 &&
	    value->type == TOML_STRING)
		crio->storage = value->string;
	if (!value || strcmp(table, RUNTIME) != 0)
		return 0;
	if (strcmp(key, "default_runtime") == 0 && value->type == TOML_STRING) {
		crio->default_runtime = value->string;
		crio->default_file = merging->file;
	} else if (strcmp(key, "conmon") == 0 && value->type == TOML_STRING) {
		crio->conmon = value->string;
	} else if (strcmp(key, "default_ulimits") == 0) {
		take_list(merging, value, &crio->ulimits);
	} else if (strcmp(key, "hooks_dir") == 0) {
		take_list(merging, value, &crio->hooks_dirs);
	}
	return 0;
}

/* ---- the files ---- */

static int add_problem(struct merging *merging, const char *text)
{
	struct crio *crio = &merging->crio;
	const char **problem =
		arena_push(merging->arena, crio->problem, crio->n_problems, crio->problems_room);

	return problem && (*problem = arena_strdup(merging->arena, text)) ? 0 : -1;
}

/* Returns 0, -ENOENT, or -1 with *err. */
static int read_text(struct merging *merging, int root, const char *path, struct fs_text *ret_text,
		     struct err *err)
{
	cleanup_fd fd = fs_open(root, path, O_RDONLY, RESOLVE_IN_ROOT);

	if (fd == -ENOENT)
		return -ENOENT;
	if (fd < 0)
		return err_sys(err, -fd, "%s", merging->file);
	if (fs_read_regular(merging->arena, fd, CRIO_FILE_SIZE_MAX, merging->file, ret_text, err) <
	    0)
		return -1;
	return strlen(ret_text->bytes) == ret_text->len
		       ? 0
		       : err_set(err, "%s: contains a NUL character, which TOML does not allow",
				 merging->file);
}

static int read_one(struct merging *merging, int root, const char *path)
{
	struct fs_text text = {0};
	struct err why;
	int status;

	merging->file = arena_printf(merging->arena, "/%s", path);
	if (!merging->file)
		return -1;
	status = read_text(merging, root, path, &text, &why);
	if (status == 0)
		status = toml_read(merging->arena, merging->file, text.bytes, take, merging, &why);
	if (status == 0 || status == -ENOENT)
		return 0;
	return why.memory ? -1 : add_problem(merging, why.text);
}

int crio_read(struct arena *arena, int root, struct crio *ret_crio, struct err *err)
{
	struct merging merging = {.arena = arena, .crio = {.conmon = "", .storage = CRIO_STORAGE}};
	const char **names = NULL;
	int n = tree_list_all(arena, root, CRIO_DROPINS, "", &names); /* also hidden ones */

	merging.crio.installed = tree_exists(root, CRIO_DIR) || tree_exists(root, "usr/bin/crio");
	if (n < 0 || read_one(&merging, root, CRIO_DIR "/crio.conf") < 0)
		return err_memory(err);
	for (int i = 0; i < n; i++) {
		char *path = arena_printf(arena, CRIO_DROPINS "/%s", names[i]);

		if (!path || read_one(&merging, root, path) < 0)
			return err_memory(err);
	}
	if (n == TREE_NAMES_MAX &&
	    add_problem(&merging, "/" CRIO_DROPINS ": more files than can be read") < 0)
		return err_memory(err);
	*ret_crio = merging.crio;
	return 0;
}

int crio_read_text(struct arena *arena, const char *what, const struct fs_text *text,
		   struct crio *ret_crio, struct err *err)
{
	struct merging merging = {
		.arena = arena,
		.file = what,
		.crio = {.installed = true, .conmon = "", .storage = CRIO_STORAGE},
	};

	if (toml_read(arena, what, text->bytes, take, &merging, err) < 0)
		return -1;
	*ret_crio = merging.crio;
	return 0;
}
