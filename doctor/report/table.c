/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/report/report.h"

#include <stdarg.h>
#include <string.h>

#include "core/base/text.h"
#include "doctor/report/html.h"

#define CELL_MAX 512

void table_add(struct table *table, const char *format, ...)
{
	const char **larger =
		arena_grow(table->arena, table->cell, table->n, &table->room, sizeof(*table->cell));
	char text[CELL_MAX];
	char *copy;
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	copy = arena_strdup(table->arena, text);
	if (!larger || !copy) {
		table->failed = true;
		return;
	}
	text_make_printable(copy);
	table->cell = larger;
	table->cell[table->n++] = copy;
}

/* Characters, not bytes */
static size_t width(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static size_t width_of_column(const struct table *table, size_t column)
{
	size_t most = 0;

	for (size_t i = column; i < table->n; i += table->columns) {
		size_t here = width(table->cell[i]);

		most = here > most ? here : most;
	}
	return most;
}

int table_print(FILE *out, const struct table *table)
{
	size_t pending = 0; /* spaces, but not at a line's end */

	for (size_t i = 0; i < table->n; i++) {
		size_t column = i % table->columns;

		if (table->cell[i][0]) {
			(void)fprintf(out, "%*s%s", (int)pending, "", table->cell[i]);
			pending = 0;
		}
		pending += width_of_column(table, column) + 2 - width(table->cell[i]);
		if (column + 1 < table->columns)
			continue;
		(void)fputc('\n', out);
		pending = 0;
	}
	return table->failed ? -1 : 0;
}

static bool is_level(const char *cell)
{
	static const char *const levels[] = {"X", "PIX", "PXB", "PHB", "NODE", "SYS"};

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (strcmp(cell, levels[i]) == 0)
			return true;
	}
	return false;
}

/* The first row and the first column are heads. */
static void put_cell(FILE *out, const struct table *table, size_t i)
{
	const char *cell = table->cell[i];

	if (i < table->columns)
		(void)fputs("<th scope=\"col\">", out);
	else if (i % table->columns == 0)
		(void)fputs("<th scope=\"row\">", out);
	else if (is_level(cell))
		(void)fprintf(out, "<td class=\"level %s\">", cell);
	else
		(void)fputs("<td>", out);
	markup_put(out, cell);
	(void)fputs(i < table->columns || i % table->columns == 0 ? "</th>" : "</td>", out);
}

int table_print_html(FILE *out, const struct table *table)
{
	(void)fputs("<div class=\"wide\"><table>\n", out);
	for (size_t i = 0; i < table->n; i++) {
		if (i % table->columns == 0)
			(void)fputs("<tr>", out);
		put_cell(out, table, i);
		if (i % table->columns == table->columns - 1)
			(void)fputs("</tr>\n", out);
	}
	(void)fputs("</table></div>\n", out);
	return table->failed ? -1 : 0;
}
