/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/compare/job_reports.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "doctor/compare/job_facts.h"

#define REPORT_MAX (1024 * 1024)
#define TEXT_MAX 1024

#define GBPS_MAX 1e6 /* excludes infinity, and NaN */

/* per report */
#define KEPT_MAX 64

static const char *const statuses[] = {"ok", "warn", "fail", "not checkable", NULL};

/* Untrusted: cut long text, neutralize terminal escapes. */
static const char *printable(struct json_document *doc, const struct json_node *node)
{
	const char *text = json_string(doc, node);
	char *copy = arena_printf(doc->arena, "%.*s", TEXT_MAX, text ? text : "");

	if (!copy) {
		json_no_memory(doc);
		return "";
	}
	text_make_printable(copy);
	return copy;
}

static bool is_transfer(const struct reported *item)
{
	return strcmp(item->id, "verbs_remote") == 0;
}

static double read_gbps(const struct reported *item)
{
	const struct json_node *node =
		is_transfer(item) && item->values ? json_find(item->values, "gbps") : NULL;
	double gbps = node && node->type == JSON_STRING ? strtod(node->text, NULL) : 0;

	return gbps > 0 && gbps < GBPS_MAX ? gbps : 0;
}

static int read_findings(struct json_document *doc, struct pod *pod)
{
	const struct json_node *findings = json_get(doc, doc->root, "findings", JSON_ARRAY);

	pod->item = findings ? json_items(doc, findings, sizeof(*pod->item)) : NULL;
	if (!pod->item)
		return -1;
	json_each(node, findings) {
		struct reported *item = &pod->item[pod->n++];

		item->id = printable(doc, json_get(doc, node, "id", JSON_STRING));
		item->subject = printable(doc, json_get(doc, node, "subject", JSON_STRING));
		item->evidence = printable(doc, json_get(doc, node, "evidence", JSON_STRING));
		item->status = (enum finding_status)json_word(
			doc, json_get(doc, node, "status", JSON_STRING), statuses);
		item->values = json_get(doc, node, "values", JSON_OBJECT | JSON_NULL);
		item->gbps = read_gbps(item);
	}
	return doc->failed ? -1 : 0;
}

/* The report's memory is freed. */
static void keep_failures(struct arena *arena, const struct pod *report, struct pod *pod)
{
	pod->item = arena_alloc(arena, KEPT_MAX * sizeof(*pod->item));
	for (size_t i = 0; pod->item && i < report->n && pod->n < KEPT_MAX; i++) {
		const struct reported *item = &report->item[i];

		if (item->status == FINDING_FAIL || item->status == FINDING_WARN ||
		    is_transfer(item))
			pod->item[pod->n++] = (struct reported){
				.id = arena_strdup(arena, item->id),
				.subject = arena_strdup(arena, item->subject),
				.evidence = arena_strdup(arena, item->evidence),
				.status = item->status,
				.gbps = item->gbps,
			};
	}
}

/* Kubernetes names have no '@'. */
static int name_pod(struct arena *arena, const char *file, struct pod *pod)
{
	char *name = arena_strdup(arena, text_base_name(file));
	char *node;
	size_t len;

	if (!name)
		return -1;
	text_make_printable(name);
	len = strlen(name);
	if (len > 5 && strcmp(name + len - 5, ".json") == 0)
		name[len - 5] = '\0';
	node = strchr(name, '@');
	if (node)
		*node++ = '\0';
	pod->name = name;
	pod->node = node ? node : "";
	return 0;
}

/* What was printed instead of a report, or the report's error */
static const char *reason_in(struct arena *arena, const struct fs_text *text, const struct err *err)
{
	const char *line = text->bytes + strspn(text->bytes, " \t\r\n");
	char *reason;

	if (text->len > REPORT_MAX)
		line = "its report is longer than 1 MiB";
	else if (*line == '{')
		line = err->text;
	else if (!*line)
		line = "no answer";
	reason = arena_printf(arena, "%.*s", (int)strcspn(line, "\n"), line);
	if (reason && strlen(reason) > TEXT_MAX)
		reason[TEXT_MAX] = '\0';
	if (reason)
		text_make_printable(reason);
	return reason;
}

static int read_pod(struct arena *arena, const char *file, struct pod *pod, struct err *err)
{
	cleanup_fd fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	cleanup_arena own = {0};
	struct pod report = {0};
	struct json_document doc;
	struct fs_text text;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", file);
	if (!S_ISREG(st.st_mode))
		return err_set(err, "%s: not a regular file", file);
	if (fs_read_up_to(&own, fd, REPORT_MAX, file, &text, err) < 0)
		return -1;
	if (name_pod(arena, file, pod) < 0)
		return err_memory(err);
	if (text.len > REPORT_MAX ||
	    json_parse(&doc, &own, file, text.bytes, text.len, 0, err) < 0 ||
	    read_findings(&doc, &report) < 0) {
		pod->silent = reason_in(arena, &text, err);
		pod_find_facts(arena, pod);
	} else {
		pod_find_facts(&own, &report);
		for (int fact = 0; fact < FACTS; fact++)
			pod->fact[fact] = arena_strdup(arena, report.fact[fact]);
		keep_failures(arena, &report, pod);
	}
	arena->failed |= own.failed;
	return err_of_arena(arena, err);
}

int job_read(struct arena *arena, char *const *files, size_t n, struct job *ret_job,
	     struct err *err)
{
	struct job job = {.arena = arena, .pod = arena_alloc(arena, n * sizeof(*job.pod)), .n = n};

	if (!job.pod)
		return err_memory(err);
	for (size_t i = 0; i < n; i++) {
		if (read_pod(arena, files[i], &job.pod[i], err) < 0)
			return -1;
		job.answers += !job.pod[i].silent;
	}
	*ret_job = job;
	return 0;
}
