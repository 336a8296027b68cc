/* SPDX-License-Identifier: Apache-2.0 */
/* TOML, as engines' configuration is written */
#include "admin/engine/toml.h"
#include "tests/unit/unit.h"

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
	{"six quotes, which are an empty string", "k = \"\"\"\"\"\"", "|k=;"},
	{"of an array of tables nothing is told", "[[a]]\nk = \"v\"\n[a.b]\nl = 1\n[ab]", "[ab]"},
	{"each table of such an array has names of its own",
	 "[[a]]\nk = 1\n[[a.b]]\n[a.c]\nl = 1\n[[a]]\nk = 1\n[a.c]\nl = 1\n[c]", "[c]"},
	{"a key twice", "k = 1\nk = 2\n", NULL},
	{"a key twice in an inline table", "k = {a = 1, a = 2}\n", NULL},
	{"a table twice", "[a]\n[a]\n", NULL},
	{"a table twice behind one below it", "[a.b]\n[a]\n[a]\n", NULL},
	{"an inline table that has a heading, too", "a = {b = 1}\n[a]\n", NULL},
	{"nor of tables in an array", "k = [{a = \"x\"}]", "|k?;"},
	{"an escape of Unicode", "k = \"\\u0041\\U0001F600\"", "|k=A\xf0\x9f\x98\x80;"},
	{"a tab in a string", "k = \"a\tb\"", "|k=a\tb;"},
	{"a byte order mark", "\xef\xbb\xbfk = \"v\"", "|k=v;"},
	{"a table behind one below it", "[a.b]\n[a]\n", "[a.b][a]"},
	{"numbers and times of each kind",
	 "a = -1_000\nb = +1.5e-3\nc = 0xdead_BEEF\nd = -inf\ne = 07:32:00.5\nf = 1979-05-27 "
	 "07:32:00Z\n"
	 "g = [1979-05-27, true]\nh = {i = nan}",
	 "|a?;|b?;|c?;|d?;|e?;|f?;|g?;[h]h|i?;|h{};"},
	{"a word without quotes", "k = info\n", NULL},
	{"a word that begins as a truth", "k = truest\n", NULL},
	{"a path without quotes", "k = /usr/bin/conmon\n", NULL},
	{"a number with a unit, which the engine refuses", "k = 10s\n", "|k?;"},
	{"a word of hexadecimal digits", "k = cafe\n", NULL},
	{"a date, and the next key", "k = {a = 1979-05-27,2 = 3}\n", "[k]k|a?;k|2?;|k{};"},
	{"another bracket than the one that was opened", "k = {]\n", NULL},
	{"and the other way round", "k = [1}\n", NULL},
	{"a comma alone in an inline table", "k = {,}\n", NULL},
	{"an inline table over lines, since TOML 1.1", "k = {\n a = 1, # c\n}\n", "[k]k|a?;|k{};"},
	{"escapes of TOML 1.1", "k = \"\\x41\\e\"", "|k=A\033;"},
	{"an unknown escape", "k = \"\\q\"", NULL},
	{"half an escape of Unicode", "k = \"\\u004\"", NULL},
	{"an escaped quote at the end", "k = \"a\\\"\n", NULL},
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

UNIT_TEST("TOML: a table's name has its parts")
{
	cleanup_arena arena = {0};
	const char *odd = "a\"b\\c.\n\x7f\xc3\xa9";
	const char *spelled = toml_spell(&arena, odd);

	first_part_is("a", "a", "");
	first_part_is("a.b.c", "a", "b.c");
	first_part_is("\"a.b\".c", "a.b", "c");
	first_part_is("\"a.b\"", "a.b", "");
	first_part_is("\"\".c", "", "c");
	first_part_is("", "", "");
	assert_string_equal(spelled, "\"a\\\"b\\\\c.\\u000a\\u007f\xc3\xa9\"");
	first_part_is(spelled, odd, "");
}

static void note_item(struct toml_seen *seen, const struct toml_item *item)
{
	if (item->type == TOML_HEADING) {
		note(seen, "[");
		note(seen, item->table);
		note(seen, "]");
		return;
	}
	note(seen, item->table);
	note(seen, "|");
	note(seen, item->key);
	note(seen, item->type == TOML_OTHER ? "?" : item->type == TOML_TABLE ? "{}" : "=");
	if (item->type == TOML_STRING)
		note(seen, item->string);
	for (size_t i = 0; i < item->n && item->type == TOML_STRINGS; i++) {
		note(seen, item->strings[i]);
		note(seen, ",");
	}
	note(seen, ";");
}

UNIT_ROWS_AS("TOML: ", toml_cases)
{
	WITH_ARENA;
	cleanup_free *exact = unit_exact(row->text, strlen(row->text) + 1);
	struct toml_seen seen = {0};
	struct toml_items items;
	int status = toml_read(&arena, "x.conf", exact, &items, &err);

	if (!row->want) {
		assert_int_equal(status, -1);
		assert_has(err.text, "x.conf:");
		assert_one_line(&err);
		return;
	}
	assert_int_equal(status, 0);
	for (size_t i = 0; i < items.n; i++)
		note_item(&seen, &items.item[i]);
	assert_string_equal(seen.text, row->want);
}

UNIT_TEST("TOML: a table's name is bounded, and an error names its line")
{
	WITH_ARENA;
	struct toml_items items;
	char text[2048];

	snprintf(text, sizeof(text), "k = \"\"\"\n\"\"\"\n[%01024d]\nk = 1", 0);
	assert_int_equal(toml_read(&arena, "x.conf", text, &items, &err), 0);
	snprintf(text, sizeof(text), "k = \"\"\"\n\"\"\"\n[%01022d.bc]\nk = 1", 0);
	assert_int_equal(toml_read(&arena, "x.conf", text, &items, &err), 0);
	snprintf(text, sizeof(text), "k = \"\"\"\n\"\"\"\n[%01023d.bc]\nk = 1", 0);
	assert_int_equal(toml_read(&arena, "x.conf", text, &items, &err), -1);
	assert_string_equal(err.text, "x.conf:3: the name of this table is too long");
}

UNIT_TEST("TOML: the number of names is bounded")
{
	enum { KEYS = 16385, LINE = sizeof("k00000=1\n") - 1 };
	WITH_ARENA;
	char *text = arena_alloc(&arena, KEYS * LINE + 1);
	struct toml_items items;

	assert_non_null(text);
	for (size_t i = 0; i < KEYS; i++)
		snprintf(text + i * LINE, LINE + 1, "k%05zu=1\n", i);
	text[(KEYS - 1) * LINE] = '\0';
	assert_int_equal(toml_read(&arena, "x.conf", text, &items, &err), 0);
	assert_int_equal(items.n, KEYS - 1);
	text[(KEYS - 1) * LINE] = 'k';
	assert_int_equal(toml_read(&arena, "x.conf", text, &items, &err), -1);
	assert_string_equal(err.text, "x.conf:16385: more keys and tables than can be read");
}

int main(void)
{
	return unit_main("toml");
}
