/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/compare/job_reports.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/text.h"

#define REPORT_MAX (1024 * 1024)

static const char *const statuses[] = {"ok", "warn", "fail", "not checkable", NULL};

/* Reports hold untrusted text: keep escapes from the terminal. */
static const char *printable(struct json_document *doc, const struct json_node *node)
{
	const char *text = json_string(doc, node);
	char *copy = arena_strdup(doc->arena, text ? text : "");

	if (!copy) {
		json_no_memory(doc);
		return "";
	}
	text_make_printable(copy);
	return copy;
}

static int read_report(struct json_document *doc, struct pod *pod)
{
	const struct json_node *findings = json_get(doc, doc->root, "findings", JSON_ARRAY);

	if (!findings)
		return -1;
	pod->item = json_items(doc, findings, sizeof(*pod->item));
	json_each(node, findings) {
		struct reported *item = pod->item ? &pod->item[pod->n] : NULL;

		if (!item)
			break;
		item->id = printable(doc, json_get(doc, node, "id", JSON_STRING));
		item->subject = printable(doc, json_get(doc, node, "subject", JSON_STRING));
		item->evidence = printable(doc, json_get(doc, node, "evidence", JSON_STRING));
		item->status = (enum finding_status)json_word(
			doc, json_get(doc, node, "status", JSON_STRING), statuses);
		item->values = json_get(doc, node, "values", JSON_OBJECT | JSON_NULL);
		pod->n++;
	}
	return doc->failed ? -1 : 0;
}

/* "POD@NODE.json": Kubernetes names have no '@'. */
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

static const char *reason_in(struct arena *arena, char *text)
{
	text += strspn(text, " \t\r\n");
	text[strcspn(text, "\n")] = '\0';
	text_make_printable(text);
	return *text ? text : arena_strdup(arena, "no answer");
}

static int read_pod(struct arena *arena, const char *file, struct pod *pod, struct err *err)
{
	cleanup_fd fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct json_document doc;
	struct fs_text text;
	struct err ignored;

	if (fd < 0)
		return err_sys(err, errno, "%s", file);
	if (fs_read_regular(arena, fd, REPORT_MAX, file, &text, err) < 0)
		return -1;
	if (name_pod(arena, file, pod) < 0)
		return err_memory(err);
	if (json_parse(&doc, arena, file, text.bytes, text.len, 0, &ignored) == 0 &&
	    read_report(&doc, pod) == 0)
		return 0;
	pod->n = 0;
	pod->silent = reason_in(arena, text.bytes);
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
