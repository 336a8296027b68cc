/* SPDX-License-Identifier: Apache-2.0 */
/* What public threads report: threads.txt, messages.txt and healthy.txt, whose first lines say how
 * they are written */
#include "suite.h"

#include "doctor/symptom/known.h"

#define FOLDER "tests/unit/doctor/symptom/"
#define HEALTHY_MIN 30
#define MESSAGES_MIN 120

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

/* What each finding has, whatever it is of */
static void has_its_parts(const struct finding *finding)
{
	assert_true(finding->remedy[0] != '\0');
	if (!finding->subject[0]) {
		assert_int_equal(finding->status, FINDING_UNCHECKED);
		assert_has(finding->evidence, "nothing known");
		return;
	}
	assert_true(finding->status == FINDING_FAIL || finding->status == FINDING_WARN);
	assert_has(finding->evidence, "; line ");
	assert_has(finding->remedy, "; known from: ");
}

static const char *told_of(struct findings *findings, const struct row *row)
{
	struct err err = {0};
	char *exact = unit_exact(row->text, row->len);

	assert_int_equal(symptom_explain(findings, exact, row->len, &err), 0);
	free(exact);
	assert_true(findings->n > 0);
	for (size_t i = 0; i < findings->n; i++)
		has_its_parts(&findings->item[i]);
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
		WITH_FINDINGS;
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

UNIT_TEST("symptom: what public threads report is told")
{
	size_t rows;

	assert_int_equal(rows_that_differ(FOLDER "threads.txt", NULL, &rows), 0);
	assert_true(rows > 200);
}

UNIT_TEST("symptom: each message is known in all its wordings, near misses are not")
{
	size_t rows;

	assert_int_equal(rows_that_differ(FOLDER "messages.txt", NULL, &rows), 0);
	assert_true(rows >= MESSAGES_MIN);
}

/* Adds the symptoms that are in the heads of the file's rows. */
static void add_shown(const char *path, bool shown[SYMPTOMS_MAX])
{
	FILE *file = fopen(path, "re");
	char line[4096] = "#";
	struct row row;

	assert_non_null(file);
	while (next_row(file, line, &row)) {
		for (char *rest = row.symptoms, *name; (name = strsep(&rest, ","));) {
			if (known_find(name))
				shown[known_place(name)] = true;
		}
	}
	(void)fclose(file);
}

/* A row whose last turn has no condition is never told itself. */
static bool always_turns(const struct known *known)
{
	for (const struct turn *turn = known->turns; turn->to; turn++) {
		if (!turn->needs && !turn->lacks)
			return true;
	}
	return false;
}

UNIT_TEST("symptom: each row is shown by a text")
{
	bool shown[SYMPTOMS_MAX] = {false};
	size_t silent = 0;

	add_shown(FOLDER "threads.txt", shown);
	add_shown(FOLDER "messages.txt", shown);
	for (size_t i = 0; i < known_count(); i++) {
		if (shown[i] || always_turns(known_at(i)))
			continue;
		print_error("# no text shows %s\n", known_at(i)->name);
		silent++;
	}
	assert_int_equal(silent, 0);
}

const char *any_message(unsigned number)
{
	static struct row rows[2 * MESSAGES_MIN];
	static size_t n;
	FILE *file = n ? NULL : fopen(FOLDER "messages.txt", "re");
	char line[4096] = "#";

	assert_true(n || file);
	while (file && n < LENGTH(rows) && next_row(file, line, &rows[n])) {
		rows[n].text[rows[n].len] = '\0';
		n++;
	}
	if (file)
		(void)fclose(file);
	return rows[number % n].text;
}

UNIT_TEST("symptom: healthy and unrelated logs stay silent")
{
	size_t rows;

	assert_int_equal(rows_that_differ(FOLDER "healthy.txt", "?", &rows), 0);
	assert_true(rows >= HEALTHY_MIN);
}
