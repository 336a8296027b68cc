/* SPDX-License-Identifier: Apache-2.0 */
/* What a log shows, for three in the morning: one screen, always in the same order. */
#include <string.h>

#include "doctor/report/page.h"
#include "doctor/report/report.h"

#define COLUMN 7
#define WHOLE_MAX 3 /* causes that are told with all; the others in a line each */

static const char *const sayings[] = {[SURE] = "", [LIKELY] = "likely", [MAYBE] = "may be"};
static const char gate[] = "this failed before RDMA was used: ";

static void put(const struct page *page, enum finding_status status, const char *word,
		const char *text)
{
	page_paint(page, status, word);
	(void)fprintf(page->out, "%*s", (int)(COLUMN - strlen(word)), "");
	page_wrap(page, COLUMN, COLUMN, text);
}

static void put_cause(const struct page *page, const struct symptom *symptom)
{
	const struct known *known = symptom->known;
	enum finding_status status = known->kind == KNOWN_NOTE ? FINDING_WARN : FINDING_FAIL;
	cleanup_arena arena = {0};
	const char *verdict = symptom_verdict(&arena, symptom);
	char text[2048];

	(void)fputc('\n', page->out);
	(void)snprintf(text, sizeof(text), "%s%s%s%s%s", known->kind == KNOWN_GATE ? gate : "",
		       known->cause, sayings[known->sureness][0] ? " (" : "",
		       sayings[known->sureness], sayings[known->sureness][0] ? ")" : "");
	put(page, status, known->kind == KNOWN_NOTE ? "NOTE" : "CAUSE", text);
	(void)snprintf(text, sizeof(text), "line %lu%s: %s", symptom->first,
		       symptom->lines > 1 ? " and others" : "", symptom->quote);
	put(page, FINDING_UNCHECKED, "SEEN", text);
	put(page, symptom->verdict == SYMPTOM_CONFIRMED ? FINDING_FAIL : FINDING_UNCHECKED, "CHECK",
	    verdict ? verdict : "");
	put(page, FINDING_OK, "FIX", known->fix);
}

static void put_short(const struct page *page, const struct symptom *symptom)
{
	char text[2048];

	if (symptom->verdict == SYMPTOM_EXCLUDED)
		(void)snprintf(text, sizeof(text), "EXCLUDED %s (%s)", symptom->known->cause,
			       symptom->proof);
	else
		(void)snprintf(text, sizeof(text), "also %s (line %lu)", symptom->known->cause,
			       symptom->first);
	page_wrap(page, 0, 2, text);
}

static void put_none(const struct page *page, const struct symptoms *symptoms)
{
	char text[1024];

	if (!symptoms->lines)
		page_wrap(page, 0, 2,
			  "the text is empty: give the message, or NCCL's log (NCCL_DEBUG=INFO)");
	else if (!symptoms->errors)
		(void)fprintf(page->out, "no error found in %lu line%s\n", symptoms->lines,
			      symptoms->lines == 1 ? "" : "s");
	else {
		(void)fprintf(page->out, "no known cause in %lu line%s\n\n", symptoms->lines,
			      symptoms->lines == 1 ? "" : "s");
		(void)snprintf(text, sizeof(text), "line %lu: %s", symptoms->first_error,
			       symptoms->error);
		put(page, FINDING_UNCHECKED, "SEEN", text);
		put(page, FINDING_UNCHECKED, "CHECK", "kubectl rdma-doctor -n NAMESPACE POD");
	}
}

int symptoms_print_text(FILE *out, const struct symptoms *symptoms)
{
	const struct page page = page_for(out);
	size_t causes = 0;
	size_t whole = 0;

	for (size_t i = 0; i < symptoms->n; i++)
		causes += symptoms->item[i].verdict != SYMPTOM_EXCLUDED &&
			  symptoms->item[i].known->kind != KNOWN_NOTE;
	if (!symptoms->n)
		put_none(&page, symptoms);
	else
		(void)fprintf(out, "%zu cause%s found\n", causes, causes == 1 ? "" : "s");
	for (size_t i = 0; i < symptoms->n; i++) {
		if (symptoms->item[i].verdict != SYMPTOM_EXCLUDED && whole++ < WHOLE_MAX)
			put_cause(&page, &symptoms->item[i]);
	}
	whole = 0;
	for (size_t i = 0; i < symptoms->n; i++) {
		bool excluded = symptoms->item[i].verdict == SYMPTOM_EXCLUDED;

		if (!excluded && whole++ < WHOLE_MAX)
			continue;
		put_short(&page, &symptoms->item[i]);
	}
	return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
