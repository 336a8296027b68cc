/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/finding.h"

#include <stdarg.h>
#include <stdio.h>

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

/* A copy that fits one line of a terminal: what a pod's author wrote may hold escapes. */
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
	struct finding *larger = arena_grow(findings->arena, findings->item, findings->n,
					    &findings->room, sizeof(*larger));
	struct finding finding = {.id = id, .status = status};
	char text[TEXT_MAX];
	va_list args;

	va_start(args, evidence);
	(void)vsnprintf(text, sizeof(text), evidence, args);
	va_end(args);
	finding.subject = one_line(findings->arena, subject);
	finding.evidence = one_line(findings->arena, text);
	finding.remedy = one_line(findings->arena, remedy);
	if (!larger || !finding.subject || !finding.evidence || !finding.remedy)
		return -1;
	findings->item = larger;
	findings->item[findings->n++] = finding;
	return 0;
}
