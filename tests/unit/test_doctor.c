/* SPDX-License-Identifier: Apache-2.0 */
/* The grammars that oci-rdma-doctor judges by: NCCL's lists, levels and files, ACS, CRI-O's TOML */
#include "admin/engine/crio.h"
#include "admin/engine/toml.h"
#include "doctor/check/acs.h"
#include "doctor/nccl/level.h"
#include "doctor/nccl/list.h"
#include "doctor/nccl/settings.h"
#include "unit.h"

/* ---- NCCL's lists ---- */

struct list_case {
	const char *name;
	const char *list;
	const char *device;
	int port;
	bool selected;
};

static const struct list_case list_cases[] = {
	{"nothing selects all", "", "mlx5_6", 1, true},
	{"= alone selects all", "=", "mlx5_6", 1, true},
	{"a port that is none selects none", "mlx5_6:-2", "mlx5_6", 1, false},
	{"^ alone excludes all", "^", "mlx5_6", 1, false},
	{"a name selects itself", "mlx5_1", "mlx5_1", 1, true},
	{"a name selects what begins like it", "mlx5_1", "mlx5_10", 1, true},
	{"with = it does not", "=mlx5_1", "mlx5_10", 1, false},
	{"with = it selects itself", "=mlx5_1", "mlx5_1", 1, true},
	{"the second of a list", "=mlx5_1,mlx5_2", "mlx5_2", 1, true},
	{"another name", "=mlx5_1,mlx5_2", "mlx5_3", 1, false},
	{"^ excludes", "^mlx5_1", "mlx5_1", 1, false},
	{"^ excludes what begins like it", "^mlx5_1", "mlx5_10", 1, false},
	{"^ selects the others", "^mlx5_1", "mlx5_2", 1, true},
	{"^= excludes whole names", "^=mlx5_1", "mlx5_10", 1, true},
	{"=^ is no exclusion: ^ is looked for first", "=^mlx5_1", "mlx5_2", 1, false},
	{"a port", "=mlx5_1:2", "mlx5_1", 2, true},
	{"another port", "=mlx5_1:2", "mlx5_1", 1, false},
	{"whatever port", "=mlx5_1:2", "mlx5_1", -1, true},
	{"a rail behind the port", "=mlx5_1:2:0", "mlx5_1", 2, true},
	{"empty items are none", "=,,mlx5_1,", "mlx5_2", 1, false},
	{"a space belongs to the name", "=mlx5_1, mlx5_2", "mlx5_2", 1, false},
};

static void test_list(void **state)
{
	const struct list_case *row = *state;
	struct nccl_list list;

	nccl_list_parse(row->list, &list);
	assert_int_equal(nccl_list_selects(&list, row->device, row->port), row->selected);
}

static void test_list_bounds(void **state)
{
	char value[8192];
	struct nccl_list list;
	size_t len = 0;

	(void)state;
	for (int i = 0; i < 200; i++)
		len += (size_t)snprintf(value + len, sizeof(value) - len, "%s%d", i ? "," : "", i);
	nccl_list_parse(value, &list);
	assert_int_equal(list.n, NCCL_LIST_MAX);
	memset(value, 'x', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	nccl_list_parse(value, &list);
	assert_int_equal(list.n, 1);
	assert_int_equal(strlen(list.item[0].name), NCCL_NAME_MAX);
}

/* ---- levels ---- */

struct level_case {
	const char *name;
	const char *value;
	const char *level; /* NULL: none */
};

static const struct level_case level_cases[] = {
	{"a name", "PXB", "PXB"},
	{"0 is LOC", "0", "LOC"},
	{"1 is PIX", "1", "PIX"},
	{"2 is PXB", "2", "PXB"},
	{"3 is PHB", "3", "PHB"},
	{"4 is SYS", "4", "SYS"},
	{"5 is SYS", "5", "SYS"},
	{"more is SYS", "99", "SYS"},
	{"lower case is none", "sys", NULL},
	{"nothing is none", "", NULL},
	{"less than 0 is none", "-1", NULL},
	{"a huge number is SYS", "99999999999999999999", "SYS"},
};

static void test_level(void **state)
{
	const struct level_case *row = *state;
	const char *level = nccl_level(row->value);

	if (row->level)
		assert_string_equal(level, row->level);
	else
		assert_null(level);
}

/* ---- nccl.conf ---- */

struct file_case {
	const char *name;
	const char *text;
	const char *value; /* of NCCL_X; NULL: not set */
	size_t oddities;
};

static const struct file_case file_cases[] = {
	{"a line", "NCCL_X=1\n", "1", 0},
	{"without its end", "NCCL_X=1", "1", 0},
	{"the first = splits", "NCCL_X==a,b\n", "=a,b", 0},
	{"the first line wins", "NCCL_X=1\nNCCL_X=2\n", "1", 0},
	{"a comment", "#NCCL_X=1\n", NULL, 0},
	{"a comment that is indented is a name", " #NCCL_X=1\n", NULL, 1},
	{"no =", "NCCL_X\n", NULL, 0},
	{"an empty value", "NCCL_X=\n", "", 0},
	{"a space before = is the name's", "NCCL_X =1\n", NULL, 1},
	{"a space behind = is the value's, and seen", "NCCL_X= 1\n", " 1", 0},
	{"a carriage return is the value's", "NCCL_X=1\r\n", "1\r", 1},
	{"quotes are the value's", "NCCL_X=\"1\"\n", "\"1\"", 1},
	{"export is the name's", "export NCCL_X=1\n", NULL, 1},
	{"what is no variable of NCCL's is not told", "export DB_PASSWORD=\"x\"\n", NULL, 0},
	{"nor what only begins like one", "NCCL_db password =x\n", NULL, 0},
	{"nor what a space makes one", "x NCCL_X =1\n", NULL, 0},
	{"empty", "", NULL, 0},
};

static void test_file(void **state)
{
	const struct file_case *row = *state;
	cleanup_arena arena = {0};
	struct nccl_settings settings = {.files = ""};
	const struct nccl_setting *found;
	char *text = arena_strdup(&arena, row->text);

	assert_int_equal(nccl_settings_add_file(&arena, "/etc/nccl.conf", text, &settings), 0);
	found = nccl_settings_find(&settings, "NCCL_X");
	assert_int_equal(settings.n_oddities, row->oddities);
	if (row->value)
		assert_string_equal(found->value, row->value);
	else
		assert_null(found);
}

/* ---- ACS ---- */

struct acs_case {
	const char *name;
	size_t len;
	uint8_t first[8];  /* at 0x100 */
	uint8_t second[8]; /* at 0x148 */
	enum acs_state state;
	uint16_t control;
};

static const struct acs_case acs_cases[] = {
	{"64 bytes are not readable", 64, {0}, {0}, ACS_UNREADABLE, 0},
	{"256 bytes are not readable", 256, {0}, {0}, ACS_UNREADABLE, 0},
	{"nothing there", 4096, {0}, {0}, ACS_NONE, 0},
	{"all off", 4096, {0x0d, 0, 1, 0, 0, 0, 0, 0}, {0}, ACS_DIRECT, 0},
	{"source validation alone", 4096, {0x0d, 0, 1, 0, 0, 0, 1, 0}, {0}, ACS_DIRECT, 1},
	{"request redirect", 4096, {0x0d, 0, 1, 0, 0, 0, 4, 0}, {0}, ACS_REDIRECT, 4},
	{"completion redirect", 4096, {0x0d, 0, 1, 0, 0, 0, 8, 0}, {0}, ACS_REDIRECT, 8},
	{"what the firmware sets: SV RR CR UF",
	 4096,
	 {0x0d, 0, 1, 0, 0, 0, 0x1d, 0},
	 {0},
	 ACS_REDIRECT,
	 0x1d},
	{"behind another capability",
	 4096,
	 {0x01, 0, 0x82, 0x14, 0, 0, 0, 0},
	 {0x0d, 0, 1, 0, 0, 0, 0x1d, 0},
	 ACS_REDIRECT,
	 0x1d},
	{"behind the end of what can be read",
	 0x100 + 8,
	 {0x01, 0, 0x82, 0x14},
	 {0x0d},
	 ACS_NONE,
	 0},
	{"a list that goes round", 4096, {0x01, 0, 2, 0x10}, {0}, ACS_NONE, 0},
	{"a list that goes below", 4096, {0x01, 0, 2, 0x04}, {0}, ACS_NONE, 0},
	{"nothing answers", 4096, {255, 255, 255, 255, 255, 255, 255, 255}, {0}, ACS_NONE, 0},
};

static void test_acs(void **state)
{
	const struct acs_case *row = *state;
	uint8_t config[ACS_CONFIG_SIZE] = {0};
	cleanup_free *exact = NULL;
	uint16_t control;

	memcpy(config + 0x100, row->first, sizeof(row->first));
	memcpy(config + 0x148, row->second, sizeof(row->second));
	exact = unit_exact((const char *)config, row->len);
	assert_int_equal(acs_read((const uint8_t *)exact, row->len, &control), row->state);
	assert_int_equal(control, row->control);
}

/* ---- TOML ---- */

struct toml_case {
	const char *name;
	const char *text;
	const char *want; /* "table|key=value;…"; NULL: an error */
};

#define TEN "[[[[[[[[[["

static const struct toml_case toml_cases[] = {
	{"nothing", "", ""},
	{"a comment", "# x = 1\n", ""},
	{"a string", "[a.b]\nk = \"v\" # c\n", "[a.b]a.b|k=v;"},
	{"a literal string", "k = 'a\\b'", "|k=a\\b;"},
	{"escapes", "k = \"a\\\"b\\\\\"", "|k=a\"b\\;"},
	{"an array over lines, with comments", "k = [\n \"a\", # one\n \"b\",\n]\n", "|k=a,b,;"},
	{"an empty array", "k = []\n", "|k=;"},
	{"an array of numbers is something else", "k = [1, 2]\n", "|k?;"},
	{"an array in an array", "k = [[\"a\"], [\"b\"]]\nl = \"x\"", "|k?;|l=x;"},
	{"an inline table is a table", "k = {\"a.b\" = \"}\", c = [\"]\"]}\nl = \"x\"",
	 "[k]k|a.b=};k|c=],;|k{};|l=x;"},
	{"inline tables in one, and dotted keys", "[t]\nk = {a = {b.c = \"x\"}, d = 1}",
	 "[t][t.k][t.k.a]t.k.a.b|c=x;t.k|a{};t.k|d?;t|k{};"},
	{"a dotted key", "a.b . \"c.d\" = \"x\"\na.e = \"y\"", "a.b|c.d=x;a|e=y;"},
	{"a dotted key below a table", "[t]\na.b = \"x\"", "[t]t.a|b=x;"},
	{"a number, a truth, a time", "a = 1\nb = true\nc = 1979-05-27T07:32:00", "|a?;|b?;|c?;"},
	{"a table with quotes", "[crio.runtime.runtimes.\"a-b\"]\n", "[crio.runtime.runtimes.a-b]"},
	{"a name with a dot is one name", "[a.\"b.c\".d]\n", "[a.\"b.c\".d]"},
	{"…in each spelling", "[ a . 'b.c' ]\nk.'l.m'.n = 1\n",
	 "[a.\"b.c\"]a.\"b.c\".k.\"l.m\"|n?;"},
	{"a name with a quote and a line break", "['a\"\\'.\"\\n\"]\n",
	 "[\"a\\\"\\\\\".\"\\u000a\"]"},
	{"an empty name is none at the top", "[\"\"]\nk = 1", "[\"\"]\"\"|k?;"},
	{"an inline table's name with a dot", "[t]\n\"a.b\" = {c = 1}",
	 "[t][t.\"a.b\"]t.\"a.b\"|c?;t|a.b{};"},
	{"line ends of another system", "k = \"v\"\r\n", "|k=v;"},
	{"a heading without an end", "[a", NULL},
	{"a key without a value", "k =\n", NULL},
	{"a key alone", "k\n", NULL},
	{"a string without an end", "k = \"v\n", NULL},
	{"an array without an end", "k = [\"v\",\n", NULL},
	{"a table without an end", "k = {a = 1\n", NULL},
	{"something behind a value", "k = \"v\" x\n", NULL},
	{"a string of several lines", "k = \"\"\"\n\"v\"\nw\\\n  x\"\"\"\n", "|k=\"v\"\nwx;"},
	{"a literal string of several lines", "k = '''\na\\\nb'''\"", NULL},
	{"the same, and nothing behind it", "k = '''\na\\\nb'''", "|k=a\\\nb;"},
	{"quotes before the end", "k = \"\"\"a\"\"\"\"\"", "|k=a\"\";"},
	{"six quotes at the end", "k = \"\"\"a\"\"\"\"\"\"", NULL},
	{"six quotes, which are an empty string", "k = \"\"\"\"\"\"", "|k=;"},
	{"of an array of tables nothing is told", "[[a]]\nk = \"v\"\n[a.b]\nl = 1\n[c]", "[c]"},
	{"each table of such an array has names of its own",
	 "[[a]]\nk = 1\n[a.b]\nl = 1\n[[a]]\nk = 1\n[a.b]\nl = 1\n[c]", "[c]"},
	{"a name twice in one of them", "[[a]]\nk = 1\nk = 2\n", NULL},
	{"an array of tables behind a table of that name", "[a]\n[[a]]\n", NULL},
	{"a table behind an array of that name", "[[a]]\n[a]\n", NULL},
	{"nor of tables in an array", "k = [{a = \"x\"}]", "|k?;"},
	{"an escape of Unicode", "k = \"\\u0041\\U0001F600\"", "|k=A\xf0\x9f\x98\x80;"},
	{"half a character of UTF-16", "k = \"\\ud800\"", NULL},
	{"no UTF-8", "k = \"\xc3\x28\"", NULL},
	{"a control character", "k = \"a\x01\"", NULL},
	{"a byte order mark", "\xef\xbb\xbfk = \"v\"", "|k=v;"},
	{"a key twice", "k = 1\nk = 2\n", NULL},
	{"a table twice", "[a]\n[a]\n", NULL},
	{"a table behind one below it", "[a.b]\n[a]\n", "[a.b][a]"},
	{"a dotted key into a table that has its heading", "[a.b]\n[a]\nb.c = 1\n", NULL},
	{"an inline table is closed", "a = {b = 1}\n[a.c]\n", NULL},
	{"a date that there is not", "k = 2023-02-29\n", NULL},
	{"a number with a zero in front", "k = 007\n", NULL},
	{"a number of more than 64 bits", "k = 9223372036854775808\n", NULL},
	{"another bracket than the one that was opened", "k = {]\n", NULL},
	{"and the other way round", "k = [1}\n", NULL},
	{"a comma alone in an inline table", "k = {,}\n", NULL},
	{"an inline table over lines", "k = {\n}\n", NULL},
	{"too deep", "k = " TEN TEN TEN TEN TEN TEN TEN, NULL},
	{"a comma too many", "k = [\"a\",,]", NULL},
	{"an empty array over lines in an array", "k = [[\n # none\n]]\n", "|k?;"},
	{"an empty table", "k = { }\n", "[k]|k{};"},
	{"brackets that do not match", "k = [1 }]\n", NULL},
	{"brackets that do not match, in a table", "k = {a = ]}\n", NULL},
};

struct toml_seen {
	char text[256];
	size_t len;
};

static void note(struct toml_seen *seen, const char *part)
{
	int n = snprintf(seen->text + seen->len, sizeof(seen->text) - seen->len, "%s", part);

	assert_true(n >= 0 && (size_t)n < sizeof(seen->text) - seen->len);
	seen->len += (size_t)n;
}

static void first_part_is(const char *table, const char *part, const char *rest)
{
	cleanup_arena arena = {0};
	const char *got = NULL;

	assert_string_equal(toml_first_part(&arena, table, &got), part);
	assert_string_equal(got, rest);
}

static void a_tables_name_has_its_parts(void **state)
{
	cleanup_arena arena = {0};
	const char *odd = "a\"b\\c.\n\x7f\xc3\xa9";
	const char *spelled = toml_spell(&arena, odd);

	(void)state;
	first_part_is("a", "a", "");
	first_part_is("a.b.c", "a", "b.c");
	first_part_is("\"a.b\".c", "a.b", "c");
	first_part_is("\"a.b\"", "a.b", "");
	first_part_is("\"\".c", "", "c");
	first_part_is("", "", "");
	assert_string_equal(spelled, "\"a\\\"b\\\\c.\\u000a\\u007f\xc3\xa9\"");
	first_part_is(spelled, odd, "");
}

static int take_toml(void *context, const char *table, const char *key,
		     const struct toml_value *value, struct err *err)
{
	struct toml_seen *seen = context;

	(void)err;
	if (!value) {
		note(seen, "[");
		note(seen, table);
		note(seen, "]");
		return 0;
	}
	note(seen, table);
	note(seen, "|");
	note(seen, key);
	note(seen, value->type == TOML_OTHER ? "?" : value->type == TOML_TABLE ? "{}" : "=");
	if (value->type == TOML_STRING)
		note(seen, value->string);
	for (size_t i = 0; i < value->n && value->type == TOML_STRINGS; i++) {
		note(seen, value->strings[i]);
		note(seen, ",");
	}
	note(seen, ";");
	return 0;
}

static void test_toml(void **state)
{
	const struct toml_case *row = *state;
	cleanup_arena arena = {0};
	cleanup_free *exact = unit_exact(row->text, strlen(row->text) + 1);
	struct toml_seen seen = {0};
	struct err err = {0};
	int status = toml_read(&arena, "x.conf", exact, take_toml, &seen, &err);

	if (!row->want) {
		assert_int_equal(status, -1);
		assert_has(err.text, "x.conf:");
		assert_one_line(&err);
		return;
	}
	assert_int_equal(status, 0);
	assert_string_equal(seen.text, row->want);
}

/* ---- CRI-O's handlers ---- */

/* The keys in an inline table are part of its spelling; those of a table with a longer name stay.
 */
static void an_inline_table_takes_the_place_of_its_keys(void **state)
{
	static char text[] = "[crio.runtime.runtimes.x]\n"
			     "annotations.a = \"1\"\n"
			     "ab.c = \"2\"\n"
			     "a = {b = \"3\", c = {d = \"4\"}}\n";
	const struct fs_text all = {.bytes = text, .len = strlen(text)};
	cleanup_arena arena = {0};
	const char *got = "";
	struct crio crio;
	struct err err;

	(void)state;
	assert_int_equal(crio_read_text(&arena, "x.conf", &all, &crio, &err), 0);
	assert_int_equal(crio.n_handlers, 1);
	for (size_t i = 0; i < crio.handler[0].n_entries; i++)
		got = arena_printf(&arena, "%s%s|%s;", got, crio.handler[0].entry[i].table,
				   crio.handler[0].entry[i].spelled);
	assert_string_equal(got, "annotations|a = \"1\";ab|c = \"2\";"
				 "|a = {b = \"3\", c = {d = \"4\"}};");
}

int main(void)
{
	static struct unit_suite suite;

	UNIT_TABLE_AS(&suite, "list: ", test_list, list_cases);
	unit_add(&suite, "list: no more and no longer items than NCCL takes", test_list_bounds,
		 NULL);
	UNIT_TABLE_AS(&suite, "GDR level: ", test_level, level_cases);
	UNIT_TABLE_AS(&suite, "nccl.conf: ", test_file, file_cases);
	UNIT_TABLE_AS(&suite, "ACS: ", test_acs, acs_cases);
	UNIT_TABLE_AS(&suite, "TOML: ", test_toml, toml_cases);
	unit_add(&suite, "TOML: a table's name has its parts", a_tables_name_has_its_parts, NULL);
	unit_add(&suite, "CRI-O: an inline table takes the place of its own keys alone",
		 an_inline_table_takes_the_place_of_its_keys, NULL);
	return unit_run(&suite, "doctor");
}
