/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/report/findings_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "lib/finding.h"

struct page {
	FILE *out;
	bool colour;
};

#define WIDTH 80

static const struct look {
	const char *mark;
	const char *colour;
} looks[REPORT_STATUSES] = {
	[FINDING_OK] = {"ok", "\033[32m"},
	[FINDING_WARN] = {"WARN", "\033[33m"},
	[FINDING_FAIL] = {"FAIL", "\033[1;31m"},
	[FINDING_UNCHECKED] = {"?", "\033[2m"},
};

static struct page page_for(FILE *out)
{
	int fd = fileno(out);
	const char *no_colour = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return (struct page){out, fd >= 0 && isatty(fd) && (!no_colour || !no_colour[0]) &&
					  (!term || strcmp(term, "dumb") != 0)};
}

static void page_paint(const struct page *page, enum finding_status status, const char *text,
		       size_t column)
{
	fprintf(page->out, "%s%s%s%*s", page->colour ? looks[status].colour : "", text,
		page->colour ? "\033[0m" : "", (int)(column - strlen(text)), "");
}

static size_t columns(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

/* at: current column. Long words stay whole, to copy paths. */
static void page_wrap(const struct page *page, size_t at, size_t indent, const char *text)
{
	bool first = true;

	while (*text) {
		size_t len = strcspn(text, " ");
		size_t wide = columns(text, len);

		if (!first && at + 1 + wide > WIDTH) {
			fprintf(page->out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			fputc(' ', page->out);
			at++;
		}
		(void)fwrite(text, 1, len, page->out);
		at += wide;
		first = false;
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', page->out);
}

struct findings_counts findings_count(const struct findings *findings)
{
	struct findings_counts counts = {0};

	for (size_t i = 0; i < findings->n; i++)
		counts.of[findings->item[i].status]++;
	return counts;
}

const struct finding *findings_cause(const struct findings *findings)
{
	const struct finding *warning = NULL;

	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->item[i];

		if (finding->status == FINDING_FAIL)
			return finding;
		if (finding->status == FINDING_WARN && !warning)
			warning = finding;
	}
	return warning;
}

#define INDENT 6
#define NAMES_MAX 16
#define WHOLE_MAX 8

/* The cause follows its own count. */
static void put_summary(const struct page *page, const struct findings *findings)
{
	static const enum finding_status order[] = {FINDING_FAIL, FINDING_WARN, FINDING_OK,
						    FINDING_UNCHECKED};
	const struct findings_counts counts = findings_count(findings);
	const struct finding *cause = findings_cause(findings);
	char line[2048] = "";
	size_t len = 0;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		bool is_its = cause && cause->status == order[i];

		len += (size_t)snprintf(line + len, sizeof(line) - len, "%s%zu %s", i ? ", " : "",
					counts.of[order[i]], finding_status_name(order[i]));
		if (is_its)
			len += (size_t)snprintf(line + len, sizeof(line) - len, " (%.64s%s%.384s)",
						cause->id, cause->subject[0] ? " of " : "",
						cause->subject);
	}
	if (page->colour)
		fputs(looks[cause ? cause->status : FINDING_OK].colour, page->out);
	page_wrap(page, 0, 2, line);
	if (page->colour)
		fputs("\033[0m", page->out);
}

/* A shared remedy follows its last finding. next: the following one; NULL: another kind */
static void put_finding(const struct page *page, const struct finding *finding,
			const struct finding *next)
{
	char line[2560];

	page_paint(page, finding->status, looks[finding->status].mark, INDENT);
	snprintf(line, sizeof(line), "%s%s%s: %s", finding->id, finding->subject[0] ? " " : "",
		 finding->subject, finding->evidence);
	page_wrap(page, INDENT, INDENT, line);
	if (!finding->remedy[0] || (next && strcmp(next->remedy, finding->remedy) == 0))
		return;
	snprintf(line, sizeof(line), "-> %s", finding->remedy);
	fprintf(page->out, "%*s", INDENT, "");
	page_wrap(page, INDENT, INDENT + 3, line);
}

static size_t count_kind(const struct findings *findings, const struct finding *finding)
{
	size_t n = 0;

	for (; finding; finding = findings_next_of_kind(findings, finding))
		n++;
	return n;
}

/* "port (4): mlx5_6, mlx5_7, …"; without a subject, its evidence. */
static void put_group(const struct page *page, const struct findings *findings,
		      const struct finding *finding, const char *more)
{
	char line[NAMES_MAX * 400];
	size_t n = count_kind(findings, finding);
	size_t named = 0;
	size_t len = (size_t)snprintf(line, sizeof(line), "%.64s (%zu%s):", finding->id, n, more);

	page_paint(page, finding->status, looks[finding->status].mark, INDENT);
	for (; finding && named < NAMES_MAX; finding = findings_next_of_kind(findings, finding))
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%s %.384s",
					named++ ? "," : "",
					finding->subject[0] ? finding->subject : finding->evidence);
	if (n > named)
		snprintf(line + len, sizeof(line) - len, " and %zu more", n - named);
	page_wrap(page, INDENT, INDENT, line);
}

static void put_kind(const struct page *page, const struct findings *findings,
		     const struct finding *finding)
{
	size_t n = count_kind(findings, finding);

	if (finding->status == FINDING_OK && n > 1) {
		put_group(page, findings, finding, "");
		return;
	}
	for (size_t i = 0; finding && i < WHOLE_MAX; i++) {
		const struct finding *next = findings_next_of_kind(findings, finding);

		put_finding(page, finding, i + 1 < WHOLE_MAX ? next : NULL);
		finding = next;
	}
	if (finding)
		put_group(page, findings, finding, " more, see --verbose");
}

static void put_section(const struct page *page, const struct doctor *doctor,
			const struct findings *findings, enum finding_status status)
{
	bool begun = false;

	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->item[i];

		if (finding->status != status ||
		    (!doctor->options.verbose && !findings_is_first_of_kind(findings, finding)))
			continue;
		if (!begun)
			fputc('\n', page->out);
		begun = true;
		if (doctor->options.verbose)
			put_finding(page, finding, NULL);
		else
			put_kind(page, findings, finding);
	}
}

static void put_checks(const struct page *page, const struct doctor *doctor,
		       const struct findings *findings)
{
	static const enum finding_status order[] = {FINDING_FAIL, FINDING_WARN, FINDING_UNCHECKED,
						    FINDING_OK};
	char line[2048];

	put_summary(page, findings);
	snprintf(line, sizeof(line), "%s, seen from %s: %s", doctor->target.name,
		 doctor->location.container ? "a container" : "the node",
		 doctor->location.evidence);
	page_wrap(page, 0, 2, line);
	for (size_t s = 0; s < sizeof(order) / sizeof(order[0]); s++)
		put_section(page, doctor, findings, order[s]);
}

/* ---- a log: one screen, fixed order ---- */

#define COLUMN 7
#define SYMPTOMS_MAX 3

static void put_labelled(const struct page *page, enum finding_status status, const char *label,
			 const char *text)
{
	if (!text[0])
		return;
	page_paint(page, status, label, COLUMN);
	page_wrap(page, COLUMN, COLUMN, text);
}

static void put_log(const struct page *page, const struct findings *findings)
{
	const size_t causes = findings_count(findings).of[FINDING_FAIL];
	const size_t notes = findings_count(findings).of[FINDING_WARN];
	size_t told = 0;

	if (findings->item[0].subject[0] && !causes && notes)
		fprintf(page->out, "%zu note%s found\n", notes, notes == 1 ? "" : "s");
	else if (findings->item[0].subject[0])
		fprintf(page->out, "%zu cause%s found\n", causes, causes == 1 ? "" : "s");
	else
		page_wrap(page, 0, 2, findings->item[0].evidence);
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->item[i];
		bool excluded = finding->status == FINDING_OK && finding->subject[0];

		if (excluded || told++ >= SYMPTOMS_MAX) {
			put_labelled(page, FINDING_UNCHECKED, excluded ? "not" : "also",
				     finding->evidence);
			put_labelled(page, FINDING_UNCHECKED, "", excluded ? finding->check : "");
			continue;
		}
		if (finding->seen[0])
			fputc('\n', page->out);
		if (finding->subject[0])
			put_labelled(page, finding->status,
				     finding->status == FINDING_WARN ? "NOTE" : "CAUSE",
				     finding->evidence);
		put_labelled(page, FINDING_UNCHECKED, "SEEN", finding->seen);
		put_labelled(page, FINDING_UNCHECKED, "CHECK", finding->check);
		put_labelled(page, FINDING_OK, "FIX", finding->remedy);
	}
}

int findings_print_text(FILE *out, const struct doctor *doctor, const struct findings *findings)
{
	const struct page page = page_for(out);

	if (doctor->options.symptom)
		put_log(&page, findings);
	else
		put_checks(&page, doctor, findings);
	return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
