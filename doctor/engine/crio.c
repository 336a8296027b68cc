/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/engine/crio.h"

#include <errno.h>
#include <string.h>

#include "core/base/text.h"
#include "core/base/tree.h"
#include "doctor/engine/toml.h"

#define FILE_SIZE_MAX (1024 * 1024)
#define RUNTIME "crio.runtime"
#define HANDLERS RUNTIME ".runtimes."

struct merging {
	struct arena *arena;
	struct crio crio;
	const char *file;
};

const struct crio_handler *crio_find_handler(const struct crio *crio, const char *name)
{
	for (size_t i = 0; i < crio->n_handlers; i++) {
		if (strcmp(crio->handler[i].name, name) == 0)
			return &crio->handler[i];
	}
	return NULL;
}

/* A new table of a name that there is already begins from nothing. */
static int begin_handler(struct merging *merging, const char *name, struct err *err)
{
	struct crio *crio = &merging->crio;
	struct crio_handler *handler = NULL;
	struct crio_handler fresh = {.name = name, .runtime_path = "", .file = merging->file};

	for (size_t i = 0; i < crio->n_handlers && !handler; i++) {
		if (strcmp(crio->handler[i].name, name) == 0)
			handler = &crio->handler[i];
	}
	if (handler) {
		*handler = fresh;
		return 0;
	}
	handler = arena_grow(merging->arena, crio->handler, crio->n_handlers, &crio->handlers_room,
			     sizeof(*handler));
	if (!handler)
		return err_memory(err);
	crio->handler = handler;
	crio->handler[crio->n_handlers++] = fresh;
	return 0;
}

static void take_handler_key(struct merging *merging, const char *name, const char *key,
			     const struct toml_value *value)
{
	struct crio *crio = &merging->crio;

	for (size_t i = 0; i < crio->n_handlers; i++) {
		if (strcmp(crio->handler[i].name, name) == 0 && strcmp(key, "runtime_path") == 0 &&
		    value->type == TOML_STRING)
			crio->handler[i].runtime_path = value->string;
	}
}

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

	if (text_starts_with(table, HANDLERS) && !strchr(table + strlen(HANDLERS), '.')) {
		if (!value)
			return begin_handler(merging, table + strlen(HANDLERS), err);
		take_handler_key(merging, table + strlen(HANDLERS), key, value);
	}
	if (!value || strcmp(table, RUNTIME) != 0)
		return 0;
	if (strcmp(key, "default_runtime") == 0 && value->type == TOML_STRING) {
		crio->default_runtime = value->string;
		crio->default_file = merging->file;
	} else if (strcmp(key, "default_ulimits") == 0) {
		take_list(merging, value, &crio->ulimits);
	} else if (strcmp(key, "hooks_dir") == 0) {
		take_list(merging, value, &crio->hooks_dirs);
	}
	return 0;
}

static int add_problem(struct merging *merging, const char *text)
{
	struct crio *crio = &merging->crio;
	const char **larger = arena_grow(merging->arena, crio->problem, crio->n_problems,
					 &crio->problems_room, sizeof(*larger));

	if (!larger || !(larger[crio->n_problems] = arena_strdup(merging->arena, text)))
		return -1;
	crio->problem = larger;
	crio->n_problems++;
	return 0;
}

static int read_one(struct merging *merging, int root, const char *path)
{
	struct fs_text text;
	struct err why;
	int status = tree_read(merging->arena, root, path, FILE_SIZE_MAX, &text);

	if (status == -ENOENT)
		return 0;
	merging->file = arena_printf(merging->arena, "/%s", path);
	if (!merging->file)
		return -1;
	if (status < 0)
		(void)err_sys(&why, -status, "%s", merging->file);
	else if (toml_read(merging->arena, merging->file, text.bytes, take, merging, &why) == 0)
		return 0;
	return add_problem(merging, why.text);
}

int crio_read(struct arena *arena, int root, struct crio *ret_crio, struct err *err)
{
	struct merging merging = {.arena = arena};
	const char **names;
	int n = tree_list(arena, root, CRIO_DROPINS, "", &names);

	merging.crio.installed = tree_exists(root, CRIO_DIR) || tree_exists(root, "usr/bin/crio");
	if (n < 0 || read_one(&merging, root, CRIO_DIR "/crio.conf") < 0)
		return err_memory(err);
	for (int i = 0; i < n; i++) {
		char *path = arena_printf(arena, CRIO_DROPINS "/%s", names[i]);

		if (!path || read_one(&merging, root, path) < 0)
			return err_memory(err);
	}
	*ret_crio = merging.crio;
	return 0;
}
