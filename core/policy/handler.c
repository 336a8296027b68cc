/* SPDX-License-Identifier: Apache-2.0 */
#include "core/policy/handler.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/names.h"
#include "core/base/text.h"
#include "core/engine/program.h"
#include "core/policy/runtimes.h"

const char *handler_runtime_name(const char *shim)
{
	const char *name = text_base_name(shim);

	return text_starts_with(name, SHIM_NAME "-") ? name + strlen(SHIM_NAME "-") : "";
}

/* ---- its monitor ---- */

/* Only of these CRI-O asks for conmon. */
static bool wants_conmon(const struct crio_handler *handler)
{
	return !handler->runtime_type[0] || strcmp(handler->runtime_type, "oci") == 0;
}

int handler_check_monitor(struct arena *arena, int root, const struct crio *crio,
			  const struct crio_handler *handler, struct err *err)
{
	const char *path = crio->conmon[0] ? crio->conmon : handler->monitor_path;

	if (!wants_conmon(handler))
		return 0;
	if (!path[0]) {
		if (program_find(arena, root, "conmon"))
			return 0;
		return err_set(err,
			       "%s: handler %s has no monitor_path, and there is no conmon in "
			       "CRI-O's PATH (" PROGRAM_PATH "): CRI-O does not start",
			       handler->file, handler->name);
	}
	if (program_exists(root, path))
		return 0;
	return err_set(err,
		       "%s: handler %s: monitor_path %.128s is no program: CRI-O does not start",
		       handler->file, handler->name, path);
}

/* ---- its runtime ---- */

static bool can_run(void *context, const char *path)
{
	return program_exists(*(const int *)context, path);
}

/* What CRI-O runs for its own handler of that name; NULL: nothing */
static const char *find_own(struct arena *arena, int root, const struct crio *crio,
			    const char *name)
{
	const struct crio_handler *own = crio_find_handler(crio, name);

	if (own && own->runtime_path[0])
		return names_shim(own->runtime_path) ? NULL : own->runtime_path;
	return program_find(arena, root, name);
}

int handler_check_runtime(struct arena *arena, int root, const struct crio *crio,
			  const struct crio_handler *handler, const struct config *config,
			  struct err *err)
{
	const char *name = handler_runtime_name(handler->runtime_path);
	const char *taken =
		runtimes_find(arena, config, text_base_name(handler->runtime_path), can_run, &root);
	const char *own = name[0] ? find_own(arena, root, crio, name) : NULL;

	if (!taken)
		return err_set(err,
			       "%s: handler %s: the shim %.128s finds no %s to run: name one in "
			       "\"runtimes\" of %s",
			       handler->file, handler->name, handler->runtime_path,
			       name[0] ? name : "runtime", config->path);
	if (!own || program_is_same(root, own, taken))
		return 0;
	return err_set(err,
		       "%s: handler %s: the shim runs %.128s, and CRI-O's own handler %s %.128s: "
		       "write \"runtimes\": [\"%.128s\"] into %s",
		       handler->file, handler->name, taken, name, own, own, config->path);
}
