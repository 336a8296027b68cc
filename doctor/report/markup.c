/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/text.h"
#include "doctor/report/html.h"

/* XML 1.0, production 2, has none of U+FFFE and U+FFFF; HTML none of the others ("noncharacter").
 */
static bool is_noncharacter(uint32_t c)
{
	return (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);
}

static const char *entity_of(unsigned char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* The character at text, which is printable UTF-8 */
static uint32_t decode(const unsigned char *text, size_t len)
{
	uint32_t c = len == 1 ? text[0] : text[0] & (0xffU >> (len + 1));

	for (size_t i = 1; i < len; i++)
		c = c << 6 | (text[i] & 0x3f);
	return c;
}

void markup_put(FILE *out, const char *text)
{
	size_t len;

	for (const unsigned char *at = (const unsigned char *)text; *at; at += len) {
		const char *entity = entity_of(*at);
		uint32_t c;

		len = text_printable_length((const char *)at);
		c = len ? decode(at, len) : 0;
		if (entity)
			(void)fputs(entity, out);
		else if (!len || is_noncharacter(c))
			(void)fputc('?', out);
		else
			(void)fwrite(at, 1, len, out);
		len = len ? len : 1;
	}
}

/* ---- pairs ---- */

#define ARROW " -> "
#define SHADES 5

struct pairs {
	const struct findings *findings;
	const char **name; /* in the order in which they were tried */
	size_t n;
	double best; /* Gb/s */
};

static bool is_pair(const struct finding *finding)
{
	return strcmp(finding->id, "verbs_pair") == 0 && strstr(finding->subject, ARROW);
}

/* "12.4 GB/s (99.2 Gb/s), writes of …" (doctor/verbs/setup.c); 0 for a pair that failed */
static double rate_of(const struct finding *finding)
{
	const char *rate = strstr(finding->evidence, " GB/s (");

	return finding->status == FINDING_OK && rate ? strtod(rate + strlen(" GB/s ("), NULL) : 0;
}

static int add_name(struct pairs *pairs, struct arena *arena, const char *name, size_t len)
{
	for (size_t i = 0; i < pairs->n; i++) {
		if (strlen(pairs->name[i]) == len && memcmp(pairs->name[i], name, len) == 0)
			return 0;
	}
	pairs->name[pairs->n] = arena_strndup(arena, name, len);
	return pairs->name[pairs->n++] ? 0 : -1;
}

static int collect(struct pairs *pairs, struct arena *arena)
{
	/* Each pair brings two names at most. */
	pairs->name = arena_alloc(arena, (2 * pairs->findings->n + 1) * sizeof(*pairs->name));
	if (!pairs->name)
		return -1;
	for (size_t i = 0; i < pairs->findings->n; i++) {
		const struct finding *finding = &pairs->findings->item[i];
		const char *arrow = strstr(finding->subject, ARROW);

		if (!is_pair(finding))
			continue;
		if (add_name(pairs, arena, finding->subject, (size_t)(arrow - finding->subject)) <
			    0 ||
		    add_name(pairs, arena, arrow + strlen(ARROW), strlen(arrow + strlen(ARROW))) <
			    0)
			return -1;
		if (rate_of(finding) > pairs->best)
			pairs->best = rate_of(finding);
	}
	return 0;
}

static const struct finding *find(const struct pairs *pairs, const char *from, const char *to)
{
	for (size_t i = 0; i < pairs->findings->n; i++) {
		const struct finding *finding = &pairs->findings->item[i];
		size_t len = strlen(from);

		if (is_pair(finding) && strncmp(finding->subject, from, len) == 0 &&
		    strncmp(finding->subject + len, ARROW, strlen(ARROW)) == 0 &&
		    strcmp(finding->subject + len + strlen(ARROW), to) == 0)
			return finding;
	}
	return NULL;
}

static void put_cell(FILE *out, const struct pairs *pairs, const struct finding *finding)
{
	double rate = finding ? rate_of(finding) : 0;
	int shade = pairs->best > 0 ? (int)(rate / pairs->best * (SHADES - 1) + 0.5) : 0;

	if (!finding) {
		(void)fputs("<td>-</td>", out);
		return;
	}
	if (rate > 0)
		(void)fprintf(out, "<td class=\"heat%d\" title=\"", shade);
	else
		(void)fputs("<td class=\"bad\" title=\"", out);
	markup_put(out, finding->evidence);
	if (rate > 0)
		(void)fprintf(out, "\">%.1f</td>", rate);
	else
		(void)fprintf(out, "\">%s</td>", finding_status_name(finding->status));
}

static void put_table(FILE *out, const struct pairs *pairs)
{
	(void)fputs("<div class=\"wide\"><table class=\"heat\">\n<tr><th>from, to</th>", out);
	for (size_t i = 0; i < pairs->n; i++) {
		(void)fputs("<th scope=\"col\">", out);
		markup_put(out, pairs->name[i]);
		(void)fputs("</th>", out);
	}
	for (size_t from = 0; from < pairs->n; from++) {
		(void)fputs("</tr>\n<tr><th scope=\"row\">", out);
		markup_put(out, pairs->name[from]);
		(void)fputs("</th>", out);
		for (size_t to = 0; to < pairs->n; to++)
			put_cell(out, pairs, find(pairs, pairs->name[from], pairs->name[to]));
	}
	(void)fputs("</tr>\n</table></div>\n", out);
}

int pairs_print(FILE *out, const struct findings *findings)
{
	struct pairs pairs = {.findings = findings};
	cleanup_arena arena = {0};

	if (collect(&pairs, &arena) < 0)
		return -1;
	if (!pairs.n)
		return 0;
	(void)fputs("<section id=\"pairs\">\n<h2>Bandwidth between devices</h2>\n"
		    "<p>RDMA writes from host memory, in Gb/s. Dark is the fastest of them, and "
		    "light is slow against it.</p>\n",
		    out);
	put_table(out, &pairs);
	(void)fputs("</section>\n", out);
	return 0;
}
