/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/nccl/nccl.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/nccl_conf.h"
#include "explain/files.h"

const struct nccl_setting *nccl_settings_find(const struct nccl_settings *settings,
					      const char *name)
{
	for (size_t i = 0; i < settings->n; i++) {
		if (strcmp(settings->item[i].name, name) == 0)
			return &settings->item[i];
	}
	return NULL;
}

static int add(struct arena *arena, struct nccl_settings *settings, const char *name,
	       const char *value, const char *path)
{
	struct nccl_setting *setting =
		arena_push(arena, settings->item, settings->n, settings->room);

	if (setting)
		*setting = (struct nccl_setting){.name = name, .value = value, .path = path};
	return setting ? 0 : -1;
}

static int add_oddity(struct arena *arena, struct nccl_settings *settings, const char *path,
		      const char *line, const char *why)
{
	struct nccl_oddity *oddity =
		arena_push(arena, settings->oddity, settings->n_oddities, settings->oddities_room);

	if (oddity)
		*oddity = (struct nccl_oddity){.path = path, .line = line, .why = why};
	return oddity ? 0 : -1;
}

/* NCCL splits at the first '=' and trims nothing: a space belongs to the name or to the value. */
static const char *oddity_of(const char *name, const char *value)
{
	size_t len = strlen(name);

	if (len && isspace((unsigned char)name[len - 1]))
		return "a space before '=' becomes part of the name, so that it is never found";
	if (isspace((unsigned char)name[0]))
		return "a space at the beginning becomes part of the name, so that it is never "
		       "found";
	if (text_starts_with(name, "export "))
		return "this is no shell script: \"export\" becomes part of the name";
	if (value[0] == '"' || value[0] == '\'')
		return "quotes become part of the value";
	if (value[0] && isspace((unsigned char)value[strlen(value) - 1]))
		return "a space or carriage return at the end becomes part of the value";
	return NULL;
}

/*
 * True if it is, or was meant to be, a variable of NCCL's. A pod's author may name any file of the
 * container (NCCL_CONF_FILE=/run/secrets/db.env), and what else stands there is not for a report.
 */
static bool is_meant_for_nccl(const char *line)
{
	line += strspn(line, " \t#");
	if (text_starts_with(line, "export "))
		line += strlen("export ");
	line += strspn(line, " \t");
	if (!text_starts_with(line, "NCCL_"))
		return false;
	line += strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	line += strspn(line, " \t");
	return *line == '=';
}

int nccl_settings_add_file(struct arena *arena, const char *path, char *text,
			   struct nccl_settings *settings)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		const char *whole = arena_strdup(arena, line);
		char *equals = strchr(line, '=');
		const char *why;

		if (line[0] == '#' || !equals)
			continue;
		*equals = '\0';
		why = whole && is_meant_for_nccl(whole) ? oddity_of(line, equals + 1) : NULL;
		if (!whole || (why && add_oddity(arena, settings, path, whole, why) < 0) ||
		    add(arena, settings, line, equals + 1, path) < 0)
			return -1;
	}
	return 0;
}

/* A file that is not there is as good as an empty one. */
static int read_conf(struct arena *arena, const struct target *target, const char *path,
		     struct nccl_settings *settings)
{
	struct fs_text text;

	if (!path)
		return -1;
	if (target->root < 0 ||
	    tree_read_stored(arena, target->root, path, NCCL_FILE_MAX, &text) < 0)
		return 0;
	settings->files = arena_printf(arena, "%s%s%s", settings->files,
				       settings->files[0] ? ", " : "", path);
	return settings->files ? nccl_settings_add_file(arena, path, text.bytes, settings) : -1;
}

static int read_environment(struct arena *arena, const struct target *target,
			    struct nccl_settings *settings)
{
	for (size_t i = 0; i < target->n_env; i++) {
		const char *equals = strchr(target->env[i], '=');
		char *name;

		if (!equals || !text_starts_with(target->env[i], "NCCL_"))
			continue;
		name = arena_strndup(arena, target->env[i], (size_t)(equals - target->env[i]));
		if (!name || add(arena, settings, name, equals + 1, target->env_path) < 0)
			return -1;
	}
	return 0;
}

int nccl_settings_read(struct arena *arena, const struct target *target,
		       struct nccl_settings *ret_settings, struct err *err)
{
	struct nccl_settings settings = {.files = ""};
	const char *named = target_getenv(target, "NCCL_CONF_FILE");
	const char *home = target_getenv(target, "HOME");

	if (read_environment(arena, target, &settings) < 0)
		return err_memory(err);
	if (named && named[0]) {
		if (read_conf(arena, target, named, &settings) < 0)
			return err_memory(err);
	} else if (home && home[0] &&
		   read_conf(arena, target, arena_printf(arena, "%s/.nccl.conf", home), &settings) <
			   0) {
		return err_memory(err);
	}
	if (read_conf(arena, target, "/" NCCL_CONF, &settings) < 0)
		return err_memory(err);
	*ret_settings = settings;
	return 0;
}
