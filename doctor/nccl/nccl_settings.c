/* SPDX-License-Identifier: Apache-2.0 */

#include "doctor/nccl/nccl_settings.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/nccl_conf.h"
#include "doctor/target/target.h"
#include "lib/files.h"

const struct nccl_setting *nccl_settings_find(const struct nccl_settings *settings,
					      const char *name)
{
	struct nccl_setting *setting = arena_alloc(settings->arena, sizeof(*setting));
	const char *value = settings->target ? target_getenv(settings->target, name) : NULL;
	const char *path = value ? settings->target->env_path : NULL;
	size_t len = value ? strlen(value) : 0;

	for (size_t i = 0; !value && i < settings->n_files; i++) {
		path = settings->file[i].path;
		value = nccl_conf_value(&settings->file[i].text, name, &len);
	}
	value = value ? arena_strndup(settings->arena, value, len) : NULL;
	if (!setting || !value)
		return NULL;
	*setting = (struct nccl_setting){.name = name, .value = value, .path = path};
	return setting;
}

/* NCCL splits at the first '=' and trims nothing. */
static const char *oddity_of(const char *line, const char *equals)
{
	const char *value = equals + 1;

	if (equals > line && isspace((unsigned char)equals[-1]))
		return "a space before '=' becomes part of the name, so that it is never found";
	if (isspace((unsigned char)line[0]))
		return "a space at the beginning becomes part of the name, so that it is never "
		       "found";
	if (text_starts_with(line, "export "))
		return "this is no shell script: \"export\" becomes part of the name";
	if (value[0] == '"' || value[0] == '\'')
		return "quotes become part of the value";
	if (value[0] && isspace((unsigned char)value[strlen(value) - 1]))
		return "a space or carriage return at the end becomes part of the value";
	return NULL;
}

/* A pod's NCCL_CONF_FILE may be any file: report only lines meant for NCCL. */
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

static int add_oddities(struct nccl_settings *settings, const char *path,
			const struct fs_text *text)
{
	char *rest = arena_strdup(settings->arena, text->bytes);
	const char *line;

	if (!rest)
		return -1;
	while ((line = strsep(&rest, "\n"))) {
		const char *why = line[0] != '#' && is_meant_for_nccl(line)
					  ? oddity_of(line, strchr(line, '='))
					  : NULL;
		struct nccl_oddity *oddity =
			why ? arena_push(settings->arena, settings->oddity, settings->n_oddities,
					 settings->oddities_room)
			    : NULL;

		if (oddity)
			*oddity = (struct nccl_oddity){.path = path, .line = line, .why = why};
		else if (why)
			return -1;
	}
	return 0;
}

int nccl_settings_add_file(struct nccl_settings *settings, const char *path,
			   const struct fs_text *text)
{
	settings->file[settings->n_files++] = (struct nccl_file){path, *text};
	settings->files = arena_printf(settings->arena, "%s%s%s", settings->files,
				       settings->files[0] ? ", " : "", path);
	return settings->files ? add_oddities(settings, path, text) : -1;
}

/* A missing file is empty. */
static int read_conf(struct nccl_settings *settings, const char *path)
{
	struct fs_text text;

	if (!path)
		return -1;
	return settings->target->root < 0 ||
			       tree_read_stored(settings->arena, settings->target->root, path,
						NCCL_FILE_MAX, &text) < 0
		       ? 0
		       : nccl_settings_add_file(settings, path, &text);
}

int nccl_settings_read(struct arena *arena, const struct target *target,
		       struct nccl_settings *ret_settings, struct err *err)
{
	struct nccl_settings settings = {.arena = arena, .target = target, .files = ""};
	const char *named = target_getenv(target, "NCCL_CONF_FILE");
	const char *home = target_getenv(target, "HOME");

	if (!named || !named[0])
		named = home && home[0] ? arena_printf(arena, "%s/.nccl.conf", home) : "";
	if (!named || (named[0] && read_conf(&settings, named) < 0) ||
	    read_conf(&settings, "/" NCCL_CONF) < 0)
		return err_memory(err);
	*ret_settings = settings;
	return 0;
}
