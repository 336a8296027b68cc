/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/engine/crio.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "admin/engine/engine.h"
#include "admin/engine/toml.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "lib/files.h"

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

/* Later files replace earlier definitions. */
static struct crio_handler *open_crio_handler(struct merging *merging, const char *name)
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

static void store_own(struct crio_handler *handler, const struct toml_item *item)
{
	if (strcmp(item->key, "inherit_default_runtime") == 0)
		handler->inherits = text_ends_with(item->spelled, "true");
	if (item->type != TOML_STRING)
		return;
	if (strcmp(item->key, "runtime_path") == 0)
		handler->runtime_path = item->string;
	else if (strcmp(item->key, "runtime_type") == 0)
		handler->runtime_type = item->string;
	else if (strcmp(item->key, "monitor_path") == 0)
		handler->monitor_path = item->string;
}

/* Drops an inline table's items: kept as spelled. name: as toml_spell */
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

/* name: "crun", or "crun.default_annotations" for a subtable */
static void store_handler(struct merging *merging, const char *name, const struct toml_item *item)
{
	const char *table = "";
	const char *own = toml_first_part(merging->arena, name, &table);
	struct crio_handler *handler = own ? open_crio_handler(merging, own) : NULL;
	const char *inside;

	if (!handler || item->type == TOML_HEADING)
		return;
	if (!table[0])
		store_own(handler, item);
	if (!table[0] && item->type == TOML_TABLE) {
		inside = toml_spell(merging->arena, item->key);
		if (inside)
			drop_table(handler, inside);
	}
	toml_items_add(merging->arena, &handler->entries, item, table);
}

static void store_crio_key(struct merging *merging, const struct toml_item *item)
{
	struct crio *crio = &merging->crio;
	const struct crio_list list = {.item = item->strings, .n = item->n, .file = merging->file};

	if (text_starts_with(item->table, HANDLERS)) {
		store_handler(merging, item->table + strlen(HANDLERS), item);
		return;
	}
	if (strcmp(item->table, RUNTIME) != 0)
		return;
	if (strcmp(item->key, "default_runtime") == 0 && item->type == TOML_STRING) {
		crio->default_runtime = item->string;
		crio->default_file = merging->file;
	} else if (strcmp(item->key, "conmon") == 0 && item->type == TOML_STRING) {
		crio->conmon = item->string;
	} else if (strcmp(item->key, "default_ulimits") == 0 && item->type == TOML_STRINGS) {
		crio->ulimits = list;
	} else if (strcmp(item->key, "hooks_dir") == 0 && item->type == TOML_STRINGS) {
		crio->hooks_dirs = list;
	}
}

/* What precedes an error counts. */
static int parse_crio_text(struct merging *merging, const char *text, struct err *err)
{
	struct toml_items items;
	int status = toml_read(merging->arena, merging->file, text, &items, err);

	for (size_t i = 0; i < items.n; i++)
		store_crio_key(merging, &items.item[i]);
	return status;
}

static void add_problem(struct merging *merging, const char *text)
{
	struct crio *crio = &merging->crio;
	const char **problem =
		arena_push(merging->arena, crio->problem, crio->n_problems, crio->problems_room);

	if (problem)
		*problem = arena_strdup(merging->arena, text);
}

/* Returns 0, -ENOENT, or -1 with err set */
static int read_text(struct merging *merging, int root, const char *path, struct fs_text *ret_text,
		     struct err *err)
{
	cleanup_fd fd = fs_open(root, path, O_RDONLY, RESOLVE_IN_ROOT);

	if (fd == -ENOENT)
		return -ENOENT;
	if (fd < 0)
		return err_sys(err, -fd, "%s", merging->file);
	if (fs_read_regular(merging->arena, fd, ENGINE_FILE_SIZE_MAX, merging->file, ret_text,
			    err) < 0)
		return -1;
	return strlen(ret_text->bytes) == ret_text->len
		       ? 0
		       : err_set(err, "%s: contains a NUL character, which TOML does not allow",
				 merging->file);
}

static void read_drop_in(struct merging *merging, int root, const char *dir, const char *name)
{
	const char *path = arena_printf(merging->arena, "/%s/%s", dir, name);
	struct fs_text text = {0};
	struct err why;
	int status;

	if (!path)
		return;
	merging->file = path;
	status = read_text(merging, root, path, &text, &why);
	if (status == 0)
		status = parse_crio_text(merging, text.bytes, &why);
	if (status == 0 || status == -ENOENT)
		return;
	merging->arena->failed |= why.errnum == ENOMEM;
	add_problem(merging, why.text);
}

/* pkg/config/config.go, DefaultConfig */
static const char *hooks_default_dir[] = {"/usr/share/containers/oci/hooks.d", NULL};
static const struct crio_list hooks_default = {hooks_default_dir, 1, NULL};

int crio_read(struct arena *arena, int root, struct crio *ret_crio, struct err *err)
{
	struct merging merging = {.arena = arena, .crio = {.conmon = ""}};
	const char **names = NULL;
	int n = tree_list(arena, root, CRIO_DROPINS, "", &names);

	merging.crio.installed = tree_exists(root, CRIO_DIR) || tree_exists(root, "usr/bin/crio");
	read_drop_in(&merging, root, CRIO_DIR, "crio.conf");
	for (int i = 0; i < n; i++)
		read_drop_in(&merging, root, CRIO_DROPINS, names[i]);
	if (n == TREE_NAMES_MAX)
		add_problem(&merging, "/" CRIO_DROPINS ": more files than can be read");
	if (merging.crio.installed && !merging.crio.hooks_dirs.file)
		merging.crio.hooks_dirs = hooks_default;
	*ret_crio = merging.crio;
	return err_of_arena(arena, err);
}

int crio_read_text(struct arena *arena, const char *what, const struct fs_text *text,
		   struct crio *ret_crio, struct err *err)
{
	struct merging merging = {
		.arena = arena,
		.file = what,
		.crio = {.installed = true, .conmon = ""},
	};

	if (parse_crio_text(&merging, text->bytes, err) < 0)
		return -1;
	*ret_crio = merging.crio;
	return err_of_arena(arena, err);
}
