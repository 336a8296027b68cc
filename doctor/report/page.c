/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/report/page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDTH 80

struct page page_for(FILE *out)
{
	struct page page = {.out = out};
	int fd = fileno(out);
	const char *no_colour = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	page.colour = fd >= 0 && isatty(fd) && (!no_colour || !no_colour[0]) &&
		      (!term || strcmp(term, "dumb") != 0);
	return page;
}

const char *page_colour_of(enum finding_status status)
{
	static const char *const colours[FINDING_UNCHECKED + 1] = {
		[FINDING_OK] = "\033[32m",
		[FINDING_WARN] = "\033[33m",
		[FINDING_FAIL] = "\033[1;31m",
		[FINDING_UNCHECKED] = "\033[2m",
	};

	return colours[status];
}

void page_paint(const struct page *page, enum finding_status status, const char *text)
{
	(void)fprintf(page->out, "%s%s%s", page->colour ? page_colour_of(status) : "", text,
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

void page_wrap(const struct page *page, size_t at, size_t indent, const char *text)
{
	bool first = true;

	while (*text) {
		size_t len = strcspn(text, " ");
		size_t wide = columns(text, len);

		if (!first && at + 1 + wide > WIDTH) {
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
