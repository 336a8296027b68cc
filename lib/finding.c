/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"

#define TEXT_MAX 1024

const char *finding_status_name(enum finding_status status)
{
	static const char *const names[] = {
		[FINDING_OK] = "ok",
		[FINDING_WARN] = "warn",
		[FINDING_FAIL] = "fail",
		[FINDING_UNCHECKED] = "not checkable",
	};

	return names[status];
}

/* Text from a pod's author may hold terminal escapes. */
static const char *one_line(struct arena *arena, const char *text)
{
	char *copy = arena_strdup(arena, text ? text : "");

	if (copy)
		text_make_printable(copy);
	return copy;
}

int findings_add(struct findings *findings, const char *id, const char *subject,
		 enum finding_status status, const char *remedy, const char *evidence, ...)
{
	struct finding *added =
		arena_push(findings->arena, findings->item, findings->n, findings->room);
	struct finding finding = {
		.id = id, .status = status, .values = "", .seen = "", .check = ""};
	char text[TEXT_MAX];
	va_list args;

	va_start(args, evidence);
	vsnprintf(text, sizeof(text), evidence, args);
	va_end(args);
	finding.subject = one_line(findings->arena, subject);
	finding.evidence = one_line(findings->arena, text);
	finding.remedy = one_line(findings->arena, remedy);
	if (!added)
		return -1;
	*added = finding;
	findings->n -= !finding.subject || !finding.evidence || !finding.remedy;
	return finding.subject && finding.evidence && finding.remedy ? 0 : -1;
}

int findings_add_values(struct findings *findings, const char *format, ...)
{
	struct finding *finding = &findings->item[findings->n - 1];
	char text[TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	finding->values = one_line(findings->arena, text);
	return finding->values ? 0 : -1;
}

int findings_add_seen(struct findings *findings, const char *seen, const char *check)
{
	struct finding *finding = &findings->item[findings->n - 1];

	finding->seen = one_line(findings->arena, seen);
	finding->check = one_line(findings->arena, check);
	return finding->seen && finding->check ? 0 : -1;
}

static bool same_kind(const struct finding *a, const struct finding *b)
{
	return a->status == b->status && strcmp(a->id, b->id) == 0;
}

bool findings_is_first_of_kind(const struct findings *findings, const struct finding *finding)
{
	for (const struct finding *other = findings->item; other < finding; other++) {
		if (same_kind(other, finding))
			return false;
	}
	return true;
}

const struct finding *findings_next_of_kind(const struct findings *findings,
					    const struct finding *finding)
{
	const struct finding *end = findings->item + findings->n;

	for (const struct finding *next = finding + 1; next < end; next++) {
		if (same_kind(finding, next))
			return next;
	}
	return NULL;
}
