/* SPDX-License-Identifier: Apache-2.0 */
/* What public threads report: threads.txt and healthy.txt, whose first lines say how they are
 * written */
#include "suite.h"

#define HEALTHY_MIN 30

struct row {
	char symptoms[128]; /* as subjects() says them */
	char origin[192];
	char text[4096];
	size_t len;
};

/* The next row of the file; false behind the last. line: the head of the row that comes, kept
 * between calls */
static bool next_row(FILE *file, char line[4096], struct row *ret_row)
{
	ret_row->len = 0;
	while (line[0] == '#')
		assert_non_null(fgets(line, 4096, file));
	if (strncmp(line, "== ", 3) != 0)
		return false;
	if (sscanf(line, "== %127s  %191[^\n]", ret_row->symptoms, ret_row->origin) != 2)
		fail_msg("no head of a row: %s", line);
	line[0] = '\0';
	while (fgets(line, 4096, file) && strncmp(line, "== ", 3) != 0) {
		assert_true(ret_row->len + strlen(line) < sizeof(ret_row->text));
		memcpy(ret_row->text + ret_row->len, line, strlen(line));
		ret_row->len += strlen(line);
		line[0] = '\0';
	}
	return true;
}

static const char *told_of(struct findings *findings, const struct row *row)
{
	struct err err = {0};
	char *exact = unit_exact(row->text, row->len);

	assert_int_equal(symptom_explain(findings, exact, row->len, &err), 0);
	free(exact);
	return subjects(findings);
}

/* Every row is looked at, so that one run shows all that differ. */
static size_t rows_that_differ(const char *path, const char *symptoms, size_t *ret_rows)
{
	FILE *file = fopen(path, "re");
	char line[4096] = "#";
	struct row row;
	size_t differ = 0;

	assert_non_null(file);
	for (*ret_rows = 0; next_row(file, line, &row); (*ret_rows)++) {
		cleanup_arena arena = {0};
		struct findings findings = {.arena = &arena};
		const char *told = told_of(&findings, &row);

		if (strcmp(told, symptoms ? symptoms : row.symptoms) == 0)
			continue;
		print_error("# %s: want %s, got %s\n", row.origin,
			    symptoms ? symptoms : row.symptoms, told);
		differ++;
	}
	(void)fclose(file);
	return differ;
}

static void threads_are_told(void **state)
{
	size_t rows;

	(void)state;
	assert_int_equal(rows_that_differ("tests/unit/doctor/symptom/threads.txt", NULL, &rows), 0);
	assert_true(rows > 200);
}

static void healthy_logs_are_silent(void **state)
{
	size_t rows;

	(void)state;
	assert_int_equal(rows_that_differ("tests/unit/doctor/symptom/healthy.txt", "?", &rows), 0);
	assert_true(rows >= HEALTHY_MIN);
}

void add_threads_tests(struct unit_suite *suite)
{
	unit_add(suite, "symptom: what public threads report is told", threads_are_told, NULL);
	unit_add(suite, "symptom: healthy and unrelated logs stay silent", healthy_logs_are_silent,
		 NULL);
}
