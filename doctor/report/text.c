/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an administrator in trouble reads: how bad it is and the first cause, then what fails, what
 * warns, what could not be seen, and last, in short, what is well.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "doctor/report/report.h"

#define WIDTH 80
#define WIDTH_MIN 40
#define WIDTH_MAX 160
#define INDENT 6

struct page {
	FILE *out;
	size_t width;
	bool colour;
};

static struct page page_for(FILE *out)
{
	struct page page = {.out = out, .width = WIDTH};
	struct winsize size;
	int fd = fileno(out);
	const char *no_colour = getenv("NO_COLOR");

	if (fd < 0 || !isatty(fd))
		return page;
	page.colour = !no_colour || !no_colour[0];
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= WIDTH_MIN)
		page.width = size.ws_col > WIDTH_MAX ? WIDTH_MAX : size.ws_col;
	return page;
}

static const char *colour_of(enum finding_status status)
{
	static const char *const colours[REPORT_STATUSES] = {
		[FINDING_OK] = "\033[32m",
		[FINDING_WARN] = "\033[33m",
		[FINDING_FAIL] = "\033[1;31m",
		[FINDING_UNCHECKED] = "\033[2m",
	};

	return colours[status];
}

static void paint(const struct page *page, enum finding_status status, const char *text)
{
	(void)fprintf(page->out, "%s%s%s", page->colour ? colour_of(status) : "", text,
		      page->colour ? "\033[0m" : "");
}

/* Characters, not bytes: a continuation byte of UTF-8 takes no column. */
static size_t columns(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

/* Words, broken before the page's edge; at: the column reached. A word that is longer than a line
 * stays whole, so that a path can be copied. */
static void wrap(const struct page *page, size_t at, size_t indent, const char *text)
{
	bool first = true;

	while (*text) {
		size_t len = strcspn(text, " ");
		size_t wide = columns(text, len);

		if (!first && at + 1 + wide > page->width) {
			(void)fprintf(page->out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			(void)fputc(' ', page->out);
			at++;
		}
		(void)fwrite(text, 1, len, page->out);
		at += wide;
		first = false;
		text += len;
		text += strspn(text, " ");
	}
	(void)fputc('\n', page->out);
}

/* ---- the parts ---- */

static void put_summary(const struct page *page, const struct findings *findings)
{
	const struct findings_counts counts = findings_count(findings);
	const struct finding *cause = findings_cause(findings);
	char line[2048];
	int len = snprintf(line, sizeof(line), "%zu fail, %zu warn, %zu ok, %zu not checkable",
			   counts.of[FINDING_FAIL], counts.of[FINDING_WARN], counts.of[FINDING_OK],
			   counts.of[FINDING_UNCHECKED]);

	if (cause)
		(void)snprintf(line + len, sizeof(line) - (size_t)len, ": %s%s%s", cause->id,
			       cause->subject[0] ? " of " : "", cause->subject);
	if (page->colour)
		(void)fputs(colour_of(cause ? cause->status : FINDING_OK), page->out);
	wrap(page, 0, 2, line);
	if (page->colour)
		(void)fputs("\033[0m", page->out);
}

static void put_place(const struct page *page, const struct doctor *doctor)
{
	char line[2048];

	(void)snprintf(line, sizeof(line), "%s, seen from %s: %s", doctor->target.name,
		       doctor->place.container ? "a container" : "the node",
		       doctor->place.evidence);
	wrap(page, 0, 2, line);
}

/* Findings that say the same of several subjects show what to do once, behind the last. */
static bool same_remedy_follows(const struct findings *findings, size_t i)
{
	const struct finding *this = &findings->item[i];
	const struct finding *next = i + 1 < findings->n ? this + 1 : NULL;

	return next && next->status == this->status && strcmp(next->id, this->id) == 0 &&
	       strcmp(next->remedy, this->remedy) == 0;
}

static void put_head(const struct page *page, const struct finding *finding)
{
	static const char *const marks[REPORT_STATUSES] = {
		[FINDING_OK] = "ok",
		[FINDING_WARN] = "WARN",
		[FINDING_FAIL] = "FAIL",
		[FINDING_UNCHECKED] = "?",
	};

	paint(page, finding->status, marks[finding->status]);
	(void)fprintf(page->out, "%*s", (int)(INDENT - strlen(marks[finding->status])), "");
}

static void put_finding(const struct page *page, const struct findings *findings, size_t i)
{
	const struct finding *finding = &findings->item[i];
	char line[2560];

	put_head(page, finding);
	(void)snprintf(line, sizeof(line), "%s%s%s: %s", finding->id,
		       finding->subject[0] ? " " : "", finding->subject, finding->evidence);
	wrap(page, INDENT, INDENT, line);
	if (!finding->remedy[0] || same_remedy_follows(findings, i))
		return;
	(void)snprintf(line, sizeof(line), "-> %s", finding->remedy);
	(void)fprintf(page->out, "%*s", INDENT, "");
	wrap(page, INDENT, INDENT + 3, line);
}

static bool same_kind(const struct finding *a, const struct finding *b)
{
	return a->status == b->status && strcmp(a->id, b->id) == 0;
}

static bool is_first_of_kind(const struct findings *findings, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (same_kind(&findings->item[k], &findings->item[i]))
			return false;
	}
	return true;
}

/* What is well of several subjects, in short: "port (4): mlx5_6, mlx5_7, …". Returns false for
 * what is there once. */
static bool put_group(const struct page *page, const struct findings *findings, size_t first)
{
	const struct finding *finding = &findings->item[first];
	char line[4096];
	size_t n = 0;
	size_t len;

	for (size_t i = first; i < findings->n; i++)
		n += same_kind(finding, &findings->item[i]);
	if (n < 2)
		return false;
	len = (size_t)snprintf(line, sizeof(line), "%.64s (%zu):", finding->id, n);
	for (size_t i = first; i < findings->n; i++) {
		const struct finding *other = &findings->item[i];
		size_t room = sizeof(line) - len;

		if (same_kind(finding, other) && strlen(other->subject) + 3 < room)
			len += (size_t)snprintf(line + len, room, "%s %s", i == first ? "" : ",",
						other->subject);
	}
	put_head(page, finding);
	wrap(page, INDENT, INDENT, line);
	return true;
}

static void put_section(const struct page *page, const struct doctor *doctor,
			const struct findings *findings, enum finding_status status)
{
	bool in_short = status == FINDING_OK && !doctor->options.verbose;
	bool begun = false;

	for (size_t i = 0; i < findings->n; i++) {
		if (findings->item[i].status != status ||
		    (in_short && !is_first_of_kind(findings, i)))
			continue;
		if (!begun)
			(void)fputc('\n', page->out);
		begun = true;
		if (!in_short || !put_group(page, findings, i))
			put_finding(page, findings, i);
	}
}

int findings_print_text(FILE *out, const struct doctor *doctor, const struct findings *findings)
{
	static const enum finding_status order[] = {FINDING_FAIL, FINDING_WARN, FINDING_UNCHECKED,
						    FINDING_OK};
	const struct page page = page_for(out);

	put_summary(&page, findings);
	put_place(&page, doctor);
	for (size_t s = 0; s < sizeof(order) / sizeof(order[0]); s++)
		put_section(&page, doctor, findings, order[s]);
	return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
