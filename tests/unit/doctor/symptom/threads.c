/* SPDX-License-Identifier: Apache-2.0 */
/* Public threads: threads.txt, messages.txt and healthy.txt, whose first lines explain the
 * format */
#include "suite.h"

#include "doctor/symptom/known.h"

#define FOLDER "tests/unit/doctor/symptom/"

struct row {
	char symptoms[128]; /* as shown_by() returns */
	char origin[192];
	char text[4096];
	size_t len;
};

static const struct texts_case {
	const char *name, *path;
	size_t least;
} texts_cases[] = {
	{"symptom: what public threads report is told", FOLDER "threads.txt", 300},
	{"symptom: each message is known in all its wordings, near misses are not",
	 FOLDER "messages.txt", 100},
	{"symptom: healthy and unrelated logs stay silent", FOLDER "healthy.txt", 30},
};

struct rows {
	struct row *row;
	size_t n;
};

static void begin_row(struct rows *rows, const char *head)
{
	struct row *row;

	rows->row = realloc(rows->row, (rows->n + 1) * sizeof(*row));
	assert_non_null(rows->row);
	row = &rows->row[rows->n++];
	row->len = 0;
	row->text[0] = '\0';
	if (sscanf(head, "== %127s  %191[^\n]", row->symptoms, row->origin) != 2)
		fail_msg("no head of a row: %s", head);
}

static void add_line(struct row *row, const char *line)
{
	assert_true(row->len + strlen(line) < sizeof(row->text));
	memcpy(row->text + row->len, line, strlen(line) + 1);
	row->len += strlen(line);
}

static void read_rows(const char *path, struct rows *rows)
{
	FILE *file = fopen(path, "re");
	char line[4096];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, "== ", 3) == 0)
			begin_row(rows, line);
		else if (rows->n)
			add_line(&rows->row[rows->n - 1], line);
	}
	(void)fclose(file);
}

static struct rows rows_of(const char *path)
{
	struct rows rows = {0};

	read_rows(path, &rows);
	return rows;
}

/* Check all rows, so that one run shows every difference. */
UNIT_ROWS(texts_cases)
{
	struct rows rows = rows_of(row->path);
	size_t differ = 0;

	for (size_t i = 0; i < rows.n; i++) {
		cleanup_arena arena = {0};
		struct symptoms symptoms;
		const char *want = rows.row[i].symptoms;
		const char *told = shown_by(&arena, rows.row[i].text, rows.row[i].len, &symptoms);

		if (strcmp(told, strcmp(want, "-") ? want : "?") == 0 &&
		    (strcmp(want, "-") != 0 || !symptoms.errors))
			continue;
		print_error("# %s: want %s, got %s\n", rows.row[i].origin, want, told);
		differ++;
	}
	free(rows.row);
	assert_int_equal(differ, 0);
	assert_true(rows.n >= row->least);
}

static void mark_shown(const char *name, bool shown[KNOWN_MAX])
{
	for (size_t i = 0; i < n_known_rows; i++)
		shown[i] = shown[i] || strcmp(known_rows[i].name, name) == 0;
}

/* Adds the symptoms named in the rows' heads. */
static void add_shown(const char *path, bool shown[KNOWN_MAX])
{
	struct rows rows = rows_of(path);

	for (size_t i = 0; i < rows.n; i++) {
		for (char *rest = rows.row[i].symptoms, *name; (name = strsep(&rest, ","));)
			mark_shown(name, shown);
	}
	free(rows.row);
}

UNIT_TEST("symptom: each row is shown by a text")
{
	bool shown[KNOWN_MAX] = {false};
	size_t silent = 0;

	add_shown(FOLDER "threads.txt", shown);
	add_shown(FOLDER "messages.txt", shown);
	for (size_t i = 0; i < n_known_rows; i++) {
		if (shown[i])
			continue;
		print_error("# no text shows %s\n", known_rows[i].name);
		silent++;
	}
	assert_int_equal(silent, 0);
}

static const struct rows *all_rows(void)
{
	static struct rows rows;

	if (rows.n)
		return &rows;
	read_rows(FOLDER "messages.txt", &rows);
	read_rows(FOLDER "threads.txt", &rows);
	return &rows;
}

const char *any_message(unsigned number)
{
	return all_rows()->row[number % all_rows()->n].text;
}

unsigned count_messages(void)
{
	return (unsigned)all_rows()->n;
}
