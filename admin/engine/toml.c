/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/engine/toml.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

#define BARE "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
#define DEPTH_MAX 64
/* Bounds memory: each key may copy its table's name. */
#define TABLE_MAX 1024
/* Bounds time: each is compared with all before. */
#define ITEMS_MAX 16384

/* By full name, "" at the top; NULL: below an array (items not kept). */
struct reader {
	struct arena *arena;
	const char *what;
	const char *text;
	const char *at;
	struct err *err;
	const char *array; /* the last outermost array of tables, or NULL */
	struct toml_items items;
};

static int toml_fail(struct reader *r, const char *why)
{
	size_t line = 1;

	for (const char *c = r->text; c < r->at; c++)
		line += *c == '\n';
	(void)err_set(r->err, "%s:%zu: %s", r->what, line, why);
	return -1;
}

static int fail_memory(struct reader *r)
{
	(void)err_memory(r->err);
	return -1;
}

static void skip_spaces(struct reader *r)
{
	r->at += strspn(r->at, " \t");
}

static int finish_line(struct reader *r)
{
	skip_spaces(r);
	if (*r->at == '#')
		r->at += strcspn(r->at, "\n");
	if (*r->at && *r->at != '\n' && strncmp(r->at, "\r\n", 2) != 0)
		return toml_fail(r, "this is not TOML");
	return 0;
}

static void skip_lines(struct reader *r)
{
	for (;;) {
		r->at += strspn(r->at, " \t\r\n");
		if (*r->at != '#')
			return;
		r->at += strcspn(r->at, "\n");
	}
}

/* ---- strings ---- */

static size_t put_utf8(char *to, unsigned long code)
{
	static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = len; i-- > 1; code >>= 6)
		to[i] = (char)(0x80 | (code & 0x3f));
	to[0] = (char)(leads[len] | code);
	return len;
}

/* r->at: behind the backslash. Returns the length written */
static int unescape(struct reader *r, char *to)
{
	static const char from[] = "btnfre\"\\";
	static const char into[] = "\b\t\n\f\r\033\"\\";
	const char *found = strchr(from, *r->at);
	size_t digits = *r->at == 'x' ? 2 : *r->at == 'u' ? 4 : *r->at == 'U' ? 8 : 0;
	size_t spaces = strspn(r->at, " \t\r");
	char code[sizeof("0010ffff")] = "";
	unsigned long character;

	if (r->at[spaces] == '\n') {
		/* removes the line end and following space */
		r->at += strspn(r->at, " \t\r\n");
		return 0;
	}
	if (found) {
		r->at++;
		*to = into[found - from];
		return 1;
	}
	strncat(code, r->at + 1, digits);
	if (!digits || strspn(code, "0123456789abcdefABCDEF") != digits)
		return toml_fail(r, "an unknown escape sequence");
	r->at += 1 + digits;
	character = strtoul(code, NULL, 16);
	/* A C string cannot hold NUL. */
	return (int)put_utf8(to, character ? character : 0xfffd);
}

static bool at_string(const struct reader *r)
{
	return *r->at == '"' || *r->at == '\'';
}

/* The closing quotes, or NULL: of up to five in a row, the last three. */
static const char *find_end(const char *at, char quote, bool several_lines)
{
	for (; *at; at++) {
		if (*at == quote &&
		    (!several_lines || (at[1] == quote && at[2] == quote && at[3] != quote)))
			return at;
		if (*at == '\\' && quote == '"' && at[1])
			at++;
		if (*at == '\n' && !several_lines)
			return NULL;
	}
	return NULL;
}

/* "basic" or 'literal', also multi-line */
static int read_string(struct reader *r, const char **ret)
{
	const char quote = *r->at;
	const bool several = r->at[1] == quote && r->at[2] == quote;
	const char *end = find_end(r->at + (several ? 3 : 1), quote, several);
	char *bytes;
	char *to;

	if (!end)
		return toml_fail(r, "this string is not closed");
	r->at += several ? 3 : 1;
	if (several)
		r->at += r->at[0] == '\n' ? 1 : strncmp(r->at, "\r\n", 2) == 0 ? 2 : 0;
	/* An escape is not shorter than its character. */
	to = bytes = arena_alloc(r->arena, (size_t)(end - r->at) + 1);
	if (!bytes)
		return fail_memory(r);
	while (r->at < end) {
		int len = 1;

		*to = *r->at++;
		if (*to == '\\' && quote == '"')
			len = unescape(r, to);
		if (len < 0)
			return -1;
		to += len;
	}
	*to = '\0';
	r->at = end + (several ? 3 : 1);
	*ret = bytes;
	return 0;
}

/* ---- names ---- */

/* Also skips the space behind. */
static int read_part(struct reader *r, const char **ret)
{
	size_t len = strspn(r->at, BARE);

	if (at_string(r)) {
		if (read_string(r, ret) < 0)
			return -1;
	} else if (len) {
		*ret = arena_strndup(r->arena, r->at, len);
		r->at += len;
	} else {
		return toml_fail(r, "a name is missing here");
	}
	skip_spaces(r);
	return *ret ? 0 : fail_memory(r);
}

const char *toml_spell(struct arena *arena, const char *part)
{
	char *text;
	char *at;

	if (part[0] && !part[strspn(part, BARE)])
		return part;
	at = text = arena_alloc(arena, strlen(part) * strlen("\\u0000") + sizeof("\"\""));
	if (!text)
		return NULL;
	*at++ = '"';
	for (; *part; part++) {
		unsigned char c = (unsigned char)*part;

		if (c < ' ' || c == 0x7f)
			at += sprintf(at, "\\u%04x", c);
		else if (c == '"' || c == '\\')
			at += sprintf(at, "\\%c", c);
		else
			*at++ = (char)c;
	}
	(void)strcpy(at, "\"");
	return text;
}

const char *toml_first_part(struct arena *arena, const char *table, const char **ret_rest)
{
	struct err ignored;
	struct reader r = {
		.arena = arena, .what = table, .text = table, .at = table, .err = &ignored};
	const char *part = NULL;

	if (!at_string(&r)) {
		size_t len = strspn(table, BARE);

		part = arena_strndup(arena, table, len);
		r.at += len;
	} else if (read_string(&r, &part) < 0) {
		return NULL; /* no memory: it is valid */
	}
	*ret_rest = *r.at == '.' ? r.at + 1 : r.at;
	return part;
}

static int enter(struct reader *r, const char **table, const char *part)
{
	if (!*table)
		return 0;
	if (strlen(*table) + strlen(part) > TABLE_MAX)
		return toml_fail(r, "the name of this table is too long");
	part = toml_spell(r->arena, part);
	if (part && (*table)[0])
		part = arena_printf(r->arena, "%s.%s", *table, part);
	if (!part)
		return fail_memory(r);
	*table = part;
	return 0;
}

/* a."b.c".d: enters all but the last part, which begins at *ret_begin */
static int read_name(struct reader *r, const char **table, const char **ret_last,
		     const char **ret_begin)
{
	for (;; r->at++) {
		skip_spaces(r);
		*ret_begin = r->at;
		if (read_part(r, ret_last) < 0)
			return -1;
		if (*r->at != '.')
			return 0;
		if (enter(r, table, *ret_last) < 0)
			return -1;
	}
}

/* ---- tables, values ---- */

void toml_items_add(struct arena *arena, struct toml_items *items, const struct toml_item *item,
		    const char *table)
{
	struct toml_item *added = arena_push(arena, items->item, items->n, items->room);

	if (!added)
		return;
	*added = *item;
	added->table = table;
}

/* A duplicate fails: the engine does not start then. */
static int keep(struct reader *r, const char *table, const struct toml_item *item)
{
	if (!table)
		return 0;
	for (size_t i = r->items.n; i-- > 0;) {
		const struct toml_item *old = &r->items.item[i];

		if ((old->type == TOML_HEADING) == (item->type == TOML_HEADING) &&
		    strcmp(old->key, item->key) == 0 && strcmp(old->table, table) == 0)
			return toml_fail(r, item->type == TOML_HEADING
						    ? "this table is defined twice"
						    : "this key is defined twice");
	}
	if (r->items.n == ITEMS_MAX)
		return toml_fail(r, "more keys and tables than can be read");
	toml_items_add(r->arena, &r->items, item, table);
	return 0;
}

static const struct toml_item heading = {.type = TOML_HEADING, .key = "", .spelled = ""};

/* An array's tables may have the same names below. */
static bool is_below(const char *table, const char *array)
{
	return array && text_starts_with(table, array) && strchr(".", table[strlen(array)]);
}

static int read_heading(struct reader *r, const char **table)
{
	const bool array = r->at[1] == '[';
	const char *last = "";
	const char *begin;

	*table = "";
	r->at += array ? 2 : 1;
	if (read_name(r, table, &last, &begin) < 0 || enter(r, table, last) < 0)
		return -1;
	if (strncmp(r->at, "]]", array ? 2 : 1) != 0)
		return toml_fail(r, "the heading of this table is not closed");
	r->at += array ? 2 : 1;
	if (array && !is_below(*table, r->array))
		r->array = *table;
	if (is_below(*table, r->array))
		*table = NULL;
	return keep(r, *table, &heading) < 0 ? -1 : finish_line(r);
}

static int skip_scalar(struct reader *r)
{
	static const char *const words[] = {"true", "false", "inf", "nan"};
	size_t len = strcspn(r->at, ",]}#\r\n");
	bool good = *r->at && strchr("+-0123456789", *r->at);

	while (len && (r->at[len - 1] == ' ' || r->at[len - 1] == '\t'))
		len--;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		good |= strlen(words[i]) == len && memcmp(r->at, words[i], len) == 0;
	if (!good)
		return toml_fail(r, "expected a string, number, boolean, date, array or table");
	r->at += len;
	return 0;
}

static int read_value(struct reader *r, const char *table, int depth, struct toml_item *value);

/* Returns 1 at the end */
static int next_item(struct reader *r, char end, const char *why)
{
	skip_lines(r);
	if (*r->at == ',')
		r->at++;
	else if (*r->at != end)
		return toml_fail(r, why);
	skip_lines(r);
	if (*r->at != end)
		return 0;
	r->at++;
	return 1;
}

static int read_array(struct reader *r, int depth, struct toml_item *value)
{
	const char **added;
	size_t room = 0;
	int end;

	value->type = TOML_STRINGS;
	r->at++;
	skip_lines(r);
	end = *r->at == ']';
	r->at += end;
	for (; !end; end = next_item(r, ']', "this array is not closed")) {
		struct toml_item item = {0};

		if (read_value(r, NULL, depth + 1, &item) < 0)
			return -1;
		if (item.type != TOML_STRING)
			value->type = TOML_OTHER;
		added = arena_push(r->arena, value->strings, value->n, room);
		if (!added)
			return fail_memory(r);
		*added = item.string;
	}
	if (end < 0)
		return -1;
	added = arena_push(r->arena, value->strings, value->n, room);
	if (!added)
		return fail_memory(r);
	*added = NULL;
	value->n--;
	return 0;
}

static int read_pair(struct reader *r, const char *table, int depth)
{
	struct toml_item value = {.key = ""};
	const char *begin;
	const char *inside;

	if (read_name(r, &table, &value.key, &begin) < 0)
		return -1;
	if (*r->at != '=')
		return toml_fail(r, "this key has no value");
	r->at++;
	skip_spaces(r);
	inside = table;
	if ((*r->at == '{' && enter(r, &inside, value.key) < 0) ||
	    read_value(r, inside, depth, &value) < 0)
		return -1;
	value.spelled = arena_strndup(r->arena, begin, (size_t)(r->at - begin));
	return value.spelled ? keep(r, table, &value) : fail_memory(r);
}

static int read_inline_table(struct reader *r, const char *table, int depth)
{
	int end;

	if (keep(r, table, &heading) < 0)
		return -1;
	r->at++;
	skip_lines(r);
	end = *r->at == '}';
	r->at += end;
	while (!end) {
		if (read_pair(r, table, depth + 1) < 0)
			return -1;
		end = next_item(r, '}', "this inline table is not closed");
	}
	return end < 0 ? -1 : 0;
}

static int read_value(struct reader *r, const char *table, int depth, struct toml_item *value)
{
	value->type = *r->at == '{' ? TOML_TABLE : TOML_OTHER;
	if (depth > DEPTH_MAX)
		return toml_fail(r, "arrays or tables are nested too deeply");
	if (value->type == TOML_TABLE)
		return read_inline_table(r, table, depth);
	if (*r->at == '[')
		return read_array(r, depth, value);
	if (!at_string(r))
		return skip_scalar(r);
	value->type = TOML_STRING;
	return read_string(r, &value->string);
}

static int read_tables(struct reader *r)
{
	const char *table = "";

	if (strncmp(r->at, "\xef\xbb\xbf", 3) == 0)
		r->at += 3; /* byte order mark */
	for (;;) {
		skip_lines(r);
		if (!*r->at)
			return 0;
		if (*r->at == '[') {
			if (read_heading(r, &table) < 0)
				return -1;
		} else if (read_pair(r, table, 0) < 0 || finish_line(r) < 0) {
			return -1;
		}
	}
}

int toml_read(struct arena *arena, const char *what, const char *text, struct toml_items *ret_items,
	      struct err *err)
{
	struct reader reader = {.arena = arena, .what = what, .text = text, .at = text, .err = err};
	int status = read_tables(&reader);

	*ret_items = reader.items;
	return status < 0 ? -1 : err_of_arena(arena, err);
}
