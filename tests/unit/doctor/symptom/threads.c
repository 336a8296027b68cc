/* SPDX-License-Identifier: Apache-2.0 */
/* What public threads report: threads.txt, messages.txt and healthy.txt, whose first lines say how
 * they are written */
#include "suite.h"

#include "doctor/symptom/known.h"

#define FOLDER "tests/unit/doctor/symptom/"

struct row {
	char symptoms[128]; /* as subjects() says them */
	char origin[192];
	char text[4096];
	size_t len;
};

static const struct texts_case {
	const char *name, *path;
	const char *told; /* of each row; NULL: what its head says */
	size_t least;
} texts_cases[] = {
	{"symptom: what public threads report is told", FOLDER "threads.txt", NULL, 400},
	{"symptom: each message is known in all its wordings, near misses are not",
	 FOLDER "messages.txt", NULL, 120},
	{"symptom: healthy and unrelated logs stay silent", FOLDER "healthy.txt", "?", 30},
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

static struct rows rows_of(const char *path)
{
	FILE *file = fopen(path, "re");
	struct rows rows = {0};
	char line[4096];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, "== ", 3) == 0)
			begin_row(&rows, line);
		else if (rows.n)
			add_line(&rows.row[rows.n - 1], line);
	}
	(void)fclose(file);
	return rows;
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
UNIT_ROWS(texts_cases)
{
	struct rows rows = rows_of(row->path);
	size_t differ = 0;

	for (size_t i = 0; i < rows.n; i++) {
		WITH_FINDINGS;
		const char *want = row->told ? row->told : rows.row[i].symptoms;
		const char *told = told_of(&findings, &rows.row[i]);

		if (strcmp(told, want) == 0)
			continue;
		print_error("# %s: want %s, got %s\n", rows.row[i].origin, want, told);
		differ++;
	}
	free(rows.row);
	assert_int_equal(differ, 0);
	assert_true(rows.n >= row->least);
}

/* Adds the symptoms that are in the heads of the file's rows. */
static void add_shown(const char *path, bool shown[SYMPTOMS_MAX + 1])
{
	struct rows rows = rows_of(path);

	for (size_t i = 0; i < rows.n; i++) {
		for (char *rest = rows.row[i].symptoms, *name; (name = strsep(&rest, ","));)
			shown[known_place(name)] = true; /* one more: of no symptom */
	}
	free(rows.row);
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
	bool shown[SYMPTOMS_MAX + 1] = {false};
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
	static struct rows rows;

	if (!rows.n)
		rows = rows_of(FOLDER "messages.txt");
	return rows.row[number % rows.n].text;
}
