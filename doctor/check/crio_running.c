/* SPDX-License-Identifier: Apache-2.0 */
/* What a running CRI-O says of its configuration, beside its files, which it takes at its next
 * start */
#include <stdio.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/engine/crio.h"
#include "core/engine/program.h"
#include "doctor/check/check.h"
#include "doctor/check/engine_output.h"

static bool ask(struct arena *arena, const char *program, struct crio *ret_crio)
{
	struct fs_text text;
	struct err ignored;

	return engine_output(arena, (const char *const[]){program, "status", "config", NULL},
			     CRIO_FILE_SIZE_MAX, &text) &&
	       crio_read_text(arena, "crio status config", &text, ret_crio, &ignored) == 0;
}

static bool same_list(const struct crio_list *a, const struct crio_list *b)
{
	/* What no file sets has CRI-O's own default, which the running one prints. */
	if (!b->file)
		return true;
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		if (strcmp(a->item[i], b->item[i]) != 0)
			return false;
	}
	return true;
}

static bool same_default(const struct crio *running, const struct crio *files)
{
	return !files->default_runtime || !running->default_runtime ||
	       strcmp(files->default_runtime, running->default_runtime) == 0;
}

static bool same_handlers(const struct crio *running, const struct crio *files)
{
	for (size_t i = 0; i < files->n_handlers; i++) {
		const struct crio_handler *file = &files->handler[i];
		const struct crio_handler *handler = crio_find_handler(running, file->name);

		if (!handler || (file->runtime_path[0] &&
				 strcmp(handler->runtime_path, file->runtime_path) != 0))
			return false;
	}
	return true;
}

int crio_check_running(const struct doctor *doctor, struct findings *findings,
		       const struct crio *files)
{
	struct arena *arena = findings->arena;
	const char *program =
		doctor->node.recorded ? NULL : program_find(arena, doctor->node.root, "crio");
	struct crio running;
	char differ[96];

	if (!program || !ask(arena, program, &running))
		return 0;
	(void)snprintf(differ, sizeof(differ), "%s%s%s%s",
		       same_handlers(&running, files) ? "" : ", runtimes",
		       same_default(&running, files) ? "" : ", default_runtime",
		       same_list(&running.ulimits, &files->ulimits) ? "" : ", default_ulimits",
		       same_list(&running.hooks_dirs, &files->hooks_dirs) ? "" : ", hooks_dir");
	if (!differ[0])
		return findings_add(findings, "crio_running_config", NULL, FINDING_OK, NULL,
				    "what runs is what its files say (crio status config)");
	return findings_add(findings, "crio_running_config", NULL, FINDING_WARN,
			    "systemctl restart crio takes what the files say; before that, mend "
			    "what fails here",
			    "the running CRI-O has others than its files: %s (crio status config)",
			    differ + strlen(", "));
}
