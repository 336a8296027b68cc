/* SPDX-License-Identifier: Apache-2.0 */
/* What CRI-O itself says of its configuration: the running one, which takes its files at its next
 * start, or else what it reads in them */
#include <stdio.h>
#include <string.h>

#include "admin/engine/engine.h"
#include "core/base/fs.h"
#include "doctor/check/check.h"
#include "doctor/check/engine_output.h"

struct question {
	const char *program;
	const char *arguments[2];
	const char *said;
	bool running; /* its answer is what runs, whole; else what differs from CRI-O's defaults */
};

/* CRI-O 1.26 has a program of its own for its state, 1.36 a command. `crio config` needs no CRI-O
 * that runs, and prints what is as by default as a comment (pkg/config/template.go). */
static const struct question questions[CRIO_QUESTIONS] = {
	{"crio", {"status", "config"}, "crio status config", true},
	{"crio-status", {"config"}, "crio-status config", true},
	{"crio", {"config"}, "crio config", false},
};

static bool ask(const struct doctor *doctor, struct arena *arena, const struct question *question,
		struct crio *ret_crio)
{
	const char *program = program_find(arena, doctor->node.root, question->program);
	const char *const words[] = {program, question->arguments[0], question->arguments[1], NULL};
	struct fs_text text;
	struct err ignored;

	return program && engine_output(arena, words, CRIO_FILE_SIZE_MAX, &text) &&
	       crio_read_text(arena, question->said, &text, ret_crio, &ignored) == 0;
}

/* said: by CRI-O, of which what it does not say is as by default; whole: all is said */
static bool same_list(const struct crio_list *said, const struct crio_list *files, bool whole)
{
	/* What no file sets has CRI-O's own default, which the running one prints. */
	if (!files->file || (!said->file && !whole))
		return true;
	if (said->n != files->n)
		return false;
	for (size_t i = 0; i < said->n; i++) {
		if (strcmp(said->item[i], files->item[i]) != 0)
			return false;
	}
	return true;
}

static bool same_default(const struct crio *said, const struct crio *files)
{
	return !files->default_runtime || !said->default_runtime ||
	       strcmp(files->default_runtime, said->default_runtime) == 0;
}

static bool same_handler(const struct crio_handler *said, const struct crio_handler *file,
			 bool whole)
{
	if (!said || !said->runtime_path[0])
		return !whole || (said && !file->runtime_path[0]);
	return !file->runtime_path[0] || strcmp(said->runtime_path, file->runtime_path) == 0;
}

static bool same_handlers(const struct crio *said, const struct crio *files, bool whole)
{
	for (size_t i = 0; i < files->n_handlers; i++) {
		const struct crio_handler *file = &files->handler[i];

		if (!same_handler(crio_find_handler(said, file->name), file, whole))
			return false;
	}
	return true;
}

static int add_running(struct findings *findings, const char *said, const char *differ)
{
	if (!differ[0])
		return findings_add(findings, "crio_running_config", NULL, FINDING_OK, NULL,
				    "what runs is what its files say (%s)", said);
	return findings_add(findings, "crio_running_config", NULL, FINDING_WARN,
			    "systemctl restart crio takes what the files say; before that, mend "
			    "what fails here",
			    "the running CRI-O has others than its files: %s (%s)", differ, said);
}

static int add_read(struct findings *findings, const char *said, const char *differ)
{
	if (!differ[0])
		return findings_add(findings, "crio_config", NULL, FINDING_OK, NULL,
				    "CRI-O reads in its files what stands here (%s); what runs, if "
				    "it runs, it does not say",
				    said);
	return findings_add(findings, "crio_config", NULL, FINDING_WARN,
			    "Believe CRI-O: what is said here of these comes from the files below "
			    "/etc/crio",
			    "CRI-O reads others in its files: %s (%s)", differ, said);
}

static int add_answer(struct findings *findings, const struct question *question,
		      const struct crio *said, const struct crio *files)
{
	bool whole = question->running;
	char differ[96];

	(void)snprintf(differ, sizeof(differ), "%s%s%s%s",
		       same_handlers(said, files, whole) ? "" : ", runtimes",
		       same_default(said, files) ? "" : ", default_runtime",
		       same_list(&said->ulimits, &files->ulimits, whole) ? "" : ", default_ulimits",
		       same_list(&said->hooks_dirs, &files->hooks_dirs, whole) ? ""
									       : ", hooks_dir");
	return (whole ? add_running : add_read)(findings, question->said,
						differ + (differ[0] ? strlen(", ") : 0));
}

int crio_check_running(const struct doctor *doctor, struct findings *findings,
		       const struct crio *files)
{
	for (size_t i = 0; i < CRIO_QUESTIONS && !doctor->node.recorded; i++) {
		struct crio said;

		if (ask(doctor, findings->arena, &questions[i], &said))
			return add_answer(findings, &questions[i], &said, files);
	}
	return 0;
}
