/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/json/document.h"
#include "core/policy/policy.h"
#include "core/policy/trust.h"

static bool is_absolute(const char *path)
{
	return path[0] == '/' && !text_has_control(path);
}

/* The first "runtimes", if it has its end and is a list of absolute paths; else NULL. */
static const char **read_runtimes(struct json_document *doc, size_t *ret_n)
{
	const struct json_node *list = json_first(doc->root);
	const char **paths;
	size_t n = 0;

	while (list && !json_key_is(list, "runtimes"))
		list = list->next;
	if (!list || list->type != JSON_ARRAY || list->end > doc->len)
		return NULL;
	paths = json_strings(doc, list, &n);
	for (size_t i = 0; i < n; i++) {
		if (!is_absolute(paths[i]))
			return NULL;
	}
	*ret_n = n;
	return doc->failed ? NULL : paths;
}

static int read_file(struct arena *arena, const char *sysroot, const char *path,
		     struct fs_text *ret_text, struct err *err)
{
	cleanup_fd dir = open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd fd = -1;

	if (dir < 0)
		return -1;
	fd = trust_open(path ? AT_FDCWD : dir, path ? path : CONFIG_PATH, !path, CONFIG_PATH, err);
	if (fd < 0)
		return -1;
	return fs_read_regular(arena, fd, CONFIG_SIZE_MAX, CONFIG_PATH, ret_text, err);
}

enum choice choice_read(struct arena *arena, const char *sysroot, const char *path,
			struct config *config)
{
	struct json_document doc;
	const struct json_node *node;
	const char **runtimes;
	const char *state_dir;
	size_t n = 0;
	struct fs_text text;
	struct err ignored;
	bool whole;

	if (read_file(arena, sysroot, path, &text, &ignored) < 0)
		return CHOICE_UNKNOWN;
	whole = json_parse(&doc, arena, CONFIG_PATH, text.bytes, text.len, JSON_COMMENTS,
			   &ignored) == 0;
	doc.failed = false; /* what was read until then holds */
	runtimes = read_runtimes(&doc, &n);
	node = json_get(&doc, doc.root, "runtimes", JSON_ARRAY);
	state_dir = json_string(&doc, json_get(&doc, doc.root, "state_dir", JSON_STRING));
	if (doc.failed || !doc.root || (node && !runtimes) ||
	    (state_dir && !is_absolute(state_dir)))
		whole = false;
	if (!whole && !runtimes)
		return CHOICE_UNKNOWN;
	if (runtimes) {
		config->runtimes = runtimes;
		config->n_runtimes = n;
	}
	if (state_dir && is_absolute(state_dir))
		config->state_dir = state_dir;
	return whole ? CHOICE_SAID : CHOICE_FRONT;
}

/* ---- which runtime it is ---- */

/* CRI-O's own packages bring their runtimes along, newer than the distribution's; Debian's runc is
 * in sbin. */
static const char *find_installed(struct arena *arena, const char *name, runtimes_can_run *can_run,
				  void *context)
{
	static const char *const dirs[] = {"/usr/libexec/crio", "/usr/bin", "/usr/sbin",
					   "/usr/local/bin", "/usr/local/sbin"};

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		const char *path = arena_printf(arena, "%s/%s", dirs[i], name);

		if (path && can_run(context, path))
			return path;
	}
	return NULL;
}

const char *runtimes_named(const char *called)
{
	return text_starts_with(called, SHIM_NAME "-") ? called + strlen(SHIM_NAME "-") : NULL;
}

const char *runtimes_find(struct arena *arena, const struct config *config, const char *called,
			  runtimes_can_run *can_run, void *context)
{
	const char *wanted = runtimes_named(called);

	for (size_t i = 0; i < config->n_runtimes; i++) {
		const char *path = config->runtimes[i];

		if ((!wanted || strcmp(text_base_name(path), wanted) == 0) &&
		    can_run(context, path))
			return path;
	}
	return wanted ? find_installed(arena, wanted, can_run, context) : NULL;
}
