/* SPDX-License-Identifier: Apache-2.0 */
/* CRI-O's handlers and limits */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "admin/engine/engine.h"
#include "admin/installation/installation.h"
#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "doctor/check/check.h"

/* ---- what a running CRI-O says ---- */

/* What CRI-O itself says of its configuration: the running one, which takes its files at its next
 * start, or else what it reads in them */

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

/* What a running CRI-O says of itself, or else what it reads in its files, beside what we read
 * there. Returns 0, or -1 without memory. */
static int crio_check_running(const struct doctor *doctor, struct findings *findings,
			      const struct crio *files)
{
	for (size_t i = 0; i < CRIO_QUESTIONS && !doctor->node.recorded; i++) {
		struct crio said;

		if (ask(doctor, findings->arena, &questions[i], &said))
			return add_answer(findings, &questions[i], &said, files);
	}
	return 0;
}

/* ---- its files ---- */

struct context {
	const struct doctor *doctor;
	struct findings *findings;
	struct crio crio;
};

static int add_missing(const struct context *context, const struct crio_handler *handler,
		       const char *path, bool is_default, int error)
{
	return findings_add(
		context->findings, "crio_handler", handler->name, FINDING_FAIL,
		"Install the program, or remove the drop-in, then run: systemctl reload crio",
		"runtime_path %s: %s (%s): %s", path, strerror(error), handler->file,
		is_default ? "it is the default handler, so that CRI-O will not start again"
			   : "CRI-O drops the handler, and refuses pods that name it");
}

/* A mistake that keeps CRI-O from its next start, whatever it does now */
static int add_monitor(const struct context *context, const struct crio_handler *handler,
		       const struct err *why)
{
	return findings_add(context->findings, "crio_handler", handler->name, FINDING_FAIL,
			    names_shim(handler->runtime_path)
				    ? "Write the drop-in again with oci-rdma-admin --crio-handler "
				      "SHIM, then run: systemctl restart crio"
				    : "Set its monitor_path to this node's conmon, then run: "
				      "systemctl restart crio",
			    "%s", why->text);
}

/* One that works: how it could do harm */
static int add_working(const struct context *context, const struct crio_handler *handler,
		       const char *path, bool is_default)
{
	bool shim = names_shim(handler->runtime_path);

	if (shim && is_default)
		return findings_add(context->findings, "crio_handler", handler->name, FINDING_WARN,
				    "Give the shim a handler of its own and a RuntimeClass",
				    "runtime_path %s (%s) belongs to the default handler: if that "
				    "file were missing, CRI-O would not start",
				    path, handler->file);
	if (shim && text_starts_with(handler->name, "nvidia"))
		return findings_add(context->findings, "crio_handler", handler->name, FINDING_WARN,
				    "Rename the handler to rdma",
				    "runtime_path %s (%s): NVIDIA's runtime does not search below "
				    "a handler whose name begins with nvidia",
				    path, handler->file);
	return findings_add(context->findings, "crio_handler", handler->name, FINDING_OK, NULL,
			    "runtime_path %s%s (%s)", path, is_default ? ", the default" : "",
			    handler->file);
}

static int add_handler(const struct context *context, const struct crio_handler *handler)
{
	const char *path = handler->runtime_path[0] ? handler->runtime_path : handler->name;
	bool is_default = context->crio.default_runtime &&
			  strcmp(context->crio.default_runtime, handler->name) == 0;
	struct handler_verdict verdict;

	handler_judge_crio(context->findings->arena, context->doctor->node.root, &context->crio,
			   handler, &verdict);
	if (verdict.fault == HANDLER_NO_PROGRAM)
		return add_missing(context, handler, path, is_default, verdict.error);
	if (verdict.fault == HANDLER_NO_MONITOR)
		return add_monitor(context, handler, &verdict.why);
	if (verdict.fault != HANDLER_RIGHT)
		return findings_add(context->findings, "crio_handler", handler->name, FINDING_WARN,
				    "Correct it, then check it: oci-rdma-admin --check-config",
				    "%s", verdict.why.text);
	return add_working(context, handler, path, is_default);
}

/* ---- the dead one ---- */

static bool runs_crio(int root)
{
	cleanup_dir *dir = NULL;
	const struct dirent *entry;
	bool found = false;

	if (tree_open_listing(root, "proc", &dir) < 0)
		return false;
	while (dir && !found && (entry = readdir(dir))) {
		char path[NAME_MAX + sizeof("proc//comm")];
		char name[32];

		(void)snprintf(path, sizeof(path), "proc/%s/comm", entry->d_name);
		found = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
			tree_read_line(root, path, name, sizeof(name)) >= 0 &&
			strcmp(name, "crio") == 0;
	}
	return found;
}

/* A handler of ours, and no CRI-O: the one may be the other's reason. */
static int check_running(const struct context *context)
{
	const struct crio *crio = &context->crio;

	for (size_t i = 0; i < crio->n_handlers; i++) {
		if (!names_shim(crio->handler[i].runtime_path))
			continue;
		if (runs_crio(context->doctor->node.root))
			return 0;
		return findings_add(
			context->findings, "crio_running", NULL, FINDING_FAIL,
			"journalctl -u crio -n 20 shows the reason. Correct what is fail here, or "
			"remove the drop-in, then run: systemctl restart crio",
			"CRI-O is configured with the handler %s (%s), but is not running",
			crio->handler[i].name, crio->handler[i].file);
	}
	return 0;
}

static int check_default(const struct context *context)
{
	const struct crio *crio = &context->crio;

	/* crun and runc are built in. */
	if (!crio->default_runtime || crio_find_handler(crio, crio->default_runtime) ||
	    strcmp(crio->default_runtime, "crun") == 0 ||
	    strcmp(crio->default_runtime, "runc") == 0)
		return 0;
	return findings_add(context->findings, "crio_handler", crio->default_runtime, FINDING_FAIL,
			    "Add that table, or set another default_runtime",
			    "default_runtime (%s) names it, but there is no "
			    "[crio.runtime.runtimes.%s]: CRI-O will not start again",
			    crio->default_file, crio->default_runtime);
}

/* ---- limits ---- */

/* "memlock=-1:-1", "nofile=1024" (go-units, ParseUlimit) */
static bool is_ulimit(const char *text)
{
	const char *equals = strchr(text, '=');
	char *end;
	long long soft;
	long long hard;

	if (!equals || equals == text)
		return false;
	soft = strtoll(equals + 1, &end, 10);
	if (end == equals + 1)
		return false;
	hard = soft;
	if (*end == ':') {
		const char *second = end + 1;

		hard = strtoll(second, &end, 10);
		if (end == second)
			return false;
	}
	return !*end && (hard == -1 || (soft != -1 && soft <= hard));
}

static int add_memlock(const struct context *context, const char *entry)
{
	const char *file = context->crio.ulimits.file;

	if (strtoll(entry + strlen("memlock="), NULL, 10) == -1)
		return findings_add(
			context->findings, "crio_ulimits", NULL, FINDING_OK, NULL,
			"%s (%s): every container has an unlimited limit, in an exec as well",
			entry, file);
	return findings_add(context->findings, "crio_ulimits", NULL, FINDING_WARN,
			    "Remove memlock from default_ulimits, or set memlock=-1:-1, then run: "
			    "systemctl restart crio",
			    "%s (%s) is in the spec of every container: an exec gets this limit, "
			    "and runc applies it after a createRuntime hook has raised the limit",
			    entry, file);
}

static int check_ulimits(const struct context *context)
{
	const struct crio_list *ulimits = &context->crio.ulimits;

	for (size_t i = 0; i < ulimits->n; i++) {
		if (!is_ulimit(ulimits->item[i]))
			return findings_add(context->findings, "crio_ulimits", NULL, FINDING_FAIL,
					    "Write NAME=SOFT:HARD; -1 means unlimited",
					    "\"%s\" (%s): CRI-O will not start again",
					    ulimits->item[i], ulimits->file);
	}
	for (size_t i = 0; i < ulimits->n; i++) {
		if (text_starts_with(ulimits->item[i], "memlock="))
			return add_memlock(context, ulimits->item[i]);
	}
	return findings_add(context->findings, "crio_ulimits", NULL, FINDING_OK, NULL,
			    "default_ulimits %s%s%s, so that containers inherit the limit of CRI-O "
			    "and the hook raises it",
			    ulimits->file ? "(" : "is not set", ulimits->file ? ulimits->file : "",
			    ulimits->file ? ") has no memlock" : "");
}

int check_crio(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	struct context context = {.doctor = doctor, .findings = findings};

	if (crio_read(findings->arena, doctor->node.root, &context.crio, err) < 0)
		return -1;
	if (!context.crio.installed)
		return 0;
	for (size_t i = 0; i < context.crio.n_problems; i++) {
		if (findings_add(findings, "crio_config", NULL, FINDING_FAIL,
				 "Correct it: CRI-O will not start again with this file", "%s",
				 context.crio.problem[i]) < 0)
			return err_memory(err);
	}
	if (crio_check_running(doctor, findings, &context.crio) < 0)
		return err_memory(err);
	for (size_t i = 0; i < context.crio.n_handlers; i++) {
		if (add_handler(&context, &context.crio.handler[i]) < 0)
			return err_memory(err);
	}
	if (check_running(&context) < 0 || check_default(&context) < 0 ||
	    check_ulimits(&context) < 0)
		return err_memory(err);
	return 0;
}
