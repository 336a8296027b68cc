/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/engine/toml.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum toml_kind {
	TOML_IMPLICIT, /* table, by a subtable's heading */
	TOML_HEADED,   /* table with its own heading */
	TOML_DOTTED,   /* table, by a dotted key */
	TOML_TABLES,   /* array of tables */
	TOML_VALUE,    /* closed: a value, array or inline table */
};

/* .first lists the names in it. */
struct toml_name {
	const char *name;
	enum toml_kind kind;
	struct toml_name *first;
	struct toml_name *next;
};

struct reader {
	struct arena *arena;
	const char *what; /* file, for errors */
	const char *at;
	size_t line;
	struct err *err;
	size_t n_names;
	struct toml_items items;
};

/* The table in which names are defined */
struct place {
	const char *table; /* full name, "" at the top */
	struct toml_name *self;
	bool muted; /* below an array: only checked */
};

static int toml_fail(struct reader *r, const char *why)
{
	return err_set(r->err, "%s:%zu: %s", r->what, r->line, why);
}

static void skip_spaces(struct reader *r)
{
	r->at += strspn(r->at, " \t");
}

static bool is_line_end(const char *at)
{
	return at[0] == '\n' || (at[0] == '\r' && at[1] == '\n');
}

static void skip_line_end(struct reader *r)
{
	r->at += r->at[0] == '\r' ? 2 : 1;
	r->line++;
}

/* Forbidden everywhere, and NUL at the text's end; the engine checks UTF-8. */
static bool is_control_character(unsigned char c)
{
	return (c < ' ' && c != '\t') || c == 0x7f;
}

static int finish_line(struct reader *r)
{
	skip_spaces(r);
	for (bool comment = *r->at == '#'; comment && *r->at && !is_line_end(r->at); r->at++) {
		if (is_control_character((unsigned char)*r->at))
			return toml_fail(r, "a control character");
	}
	if (!*r->at)
		return 0;
	if (!is_line_end(r->at))
		return toml_fail(r, "this is not TOML");
	skip_line_end(r);
	return 0;
}

static int skip_lines(struct reader *r)
{
	for (;;) {
		skip_spaces(r);
		if (*r->at != '#' && !is_line_end(r->at))
			return 0;
		if (finish_line(r) < 0)
			return -1;
	}
}

/* ---- strings ---- */

struct text {
	char *bytes; /* large enough: an escape is not shorter than its character */
	size_t len;
};

static void add_utf8(struct text *text, uint32_t code)
{
	static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = len; i-- > 1; code >>= 6)
		text->bytes[text->len + i] = (char)(0x80 | (code & 0x3f));
	text->bytes[text->len] = (char)(leads[len] | code);
	text->len += len;
}

/* Rejects UTF-16 surrogates. */
static int unescape_code(struct reader *r, size_t digits, struct text *text)
{
	uint32_t code = 0;

	for (size_t i = 0; i < digits; i++) {
		static const char hex[] = "0123456789abcdef0123456789ABCDEF";
		const char *digit = *r->at ? strchr(hex, *r->at) : NULL;

		if (!digit)
			return toml_fail(r, "an unknown escape sequence");
		code = code << 4 | (uint32_t)((digit - hex) & 15);
		r->at++;
	}
	if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return toml_fail(r, "an escape sequence that is not a character");
	/* A C string cannot hold NUL. */
	add_utf8(text, code ? code : 0xfffd);
	return 0;
}

/* A backslash at a line's end removes all space that follows. */
static bool skip_continuation(struct reader *r)
{
	const char *at = r->at + strspn(r->at, " \t");

	if (!is_line_end(at))
		return false;
	r->at = at;
	while (is_line_end(r->at)) {
		skip_line_end(r);
		skip_spaces(r);
	}
	return true;
}

static int unescape(struct reader *r, bool several_lines, struct text *text)
{
	static const char from[] = "btnfr\"\\";
	static const char to[] = "\b\t\n\f\r\"\\";
	const char *found = *r->at ? strchr(from, *r->at) : NULL;
	char c = *r->at;

	if (several_lines && skip_continuation(r))
		return 0;
	if (c)
		r->at++;
	if (c == 'u' || c == 'U')
		return unescape_code(r, c == 'u' ? 4 : 8, text);
	if (!found)
		return toml_fail(r, "an unknown escape sequence");
	text->bytes[text->len++] = to[found - from];
	return 0;
}

/* Of up to five quotes, the last three end """ and '''. */
static bool at_end(const char *at, char quote, bool several_lines)
{
	if (at[0] != quote || !several_lines)
		return at[0] == quote;
	return at[1] == quote && at[2] == quote && at[3] != quote;
}

static int parse_character(struct reader *r, bool several_lines, struct text *text)
{
	if (several_lines && is_line_end(r->at)) {
		skip_line_end(r);
		text->bytes[text->len++] = '\n';
		return 0;
	}
	if (is_control_character((unsigned char)*r->at))
		return toml_fail(r, is_line_end(r->at) || !*r->at ? "this string is not closed"
								  : "a control character");
	text->bytes[text->len++] = *r->at++;
	return 0;
}

static size_t room_of(const char *at, char quote, bool several_lines)
{
	size_t len = 0;

	while (at[len] && !at_end(at + len, quote, several_lines) &&
	       (several_lines || at[len] != '\n'))
		len += at[len] == '\\' && quote == '"' && at[len + 1] ? 2 : 1;
	return len + 1;
}

static bool at_string(const struct reader *r)
{
	return *r->at == '"' || *r->at == '\'';
}

/* "basic" or 'literal' */
static int read_string(struct reader *r, bool several_lines, const char **ret)
{
	char quote = *r->at;
	bool several = r->at[1] == quote && r->at[2] == quote;
	struct text text = {0};

	if (several && !several_lines)
		return toml_fail(r, "a key must be on one line");
	r->at += several ? 3 : 1;
	if (several && is_line_end(r->at))
		skip_line_end(r);
	text.bytes = arena_alloc(r->arena, room_of(r->at, quote, several) + 1);
	if (!text.bytes)
		return err_memory(r->err);
	while (!at_end(r->at, quote, several)) {
		bool escaped = *r->at == '\\' && quote == '"';

		r->at += escaped;
		/* Two quotes may precede the closing three. */
		if (several && !escaped && strspn(r->at, (char[]){quote, '\0'}) > 5)
			return toml_fail(r, "more than five quotes in a row");
		if ((escaped ? unescape(r, several, &text) : parse_character(r, several, &text)) <
		    0)
			return -1;
	}
	r->at += several ? 3 : 1;
	text.bytes[text.len] = '\0';
	*ret = text.bytes;
	return 0;
}

/* ---- numbers, dates, booleans ---- */

/* We need none of these: reject only text without quotes. */
static int skip_scalar(struct reader *r)
{
	static const char end[] = " \t\r\n,]}#";
	static const char *const words[] = {"true", "false", "inf", "nan"};
	const char *at = r->at + strspn(r->at, "+-");
	size_t len = strcspn(at, end);
	bool good =
		*at >= '0' && *at <= '9' && strspn(at, "0123456789abcdefABCDEFoxTtZz_+-.:") == len;

	/* A space may separate date and time. */
	if (good && len == strlen("1979-05-27") && at[4] == '-' && at[len] == ' ' &&
	    at[len + 1] >= '0' && at[len + 1] <= '9')
		len += 1 + strcspn(at + len + 1, end);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		good |= strlen(words[i]) == len && memcmp(at, words[i], len) == 0;
	if (!good)
		return toml_fail(r, "expected a string, number, boolean, date, array or table");
	r->at = at + len;
	return 0;
}

/* Names are searched linearly. */
#define NAMES_MAX 16384

#define BARE "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
#define DEPTH_MAX 64

void toml_items_add(struct arena *arena, struct toml_items *items, const struct toml_item *item,
		    const char *table)
{
	struct toml_item *added = arena_push(arena, items->item, items->n, items->room);

	if (!added)
		return;
	*added = *item;
	added->table = table;
}

static void keep(struct reader *r, const struct place *place, const struct toml_item *item)
{
	if (!place->muted)
		toml_items_add(r->arena, &r->items, item, place->table);
}

static const struct toml_item heading = {.type = TOML_HEADING, .key = "", .spelled = ""};

/* ---- names ---- */

/* Also skips the space behind. */
static int read_part(struct reader *r, const char **ret)
{
	size_t len;

	skip_spaces(r);
	if (at_string(r)) {
		if (read_string(r, false, ret) < 0)
			return -1;
	} else {
		len = strspn(r->at, BARE);
		if (!len)
			return toml_fail(r, "a name is missing here");
		*ret = arena_strndup(r->arena, r->at, len);
		if (!*ret)
			return err_memory(r->err);
		r->at += len;
	}
	skip_spaces(r);
	return 0;
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
	struct reader r = {.arena = arena, .what = table, .at = table, .err = &ignored};
	const char *part = NULL;

	if (!at_string(&r)) {
		size_t len = strspn(table, BARE);

		part = arena_strndup(arena, table, len);
		r.at += len;
	} else if (read_string(&r, false, &part) < 0) {
		return NULL; /* no memory: it is valid */
	}
	*ret_rest = *r.at == '.' ? r.at + 1 : r.at;
	return part;
}

/* Why a name of kind `old` cannot also be `kind`, or NULL */
static const char *clash(enum toml_kind kind, enum toml_kind old)
{
	switch (kind) {
	case TOML_IMPLICIT:
		return old == TOML_VALUE ? "this table lies inside something that is not a table, "
					   "or that cannot be extended"
					 : NULL;
	case TOML_DOTTED:
		return old != TOML_DOTTED ? "this dotted key leads into something that is not a "
					    "table, or that cannot be extended"
					  : NULL;
	case TOML_HEADED:
		return old != TOML_IMPLICIT ? "this table is defined twice" : NULL;
	case TOML_TABLES:
		return old != TOML_TABLES ? "this table is defined twice" : NULL;
	case TOML_VALUE:
		break;
	}
	return "this key is defined twice";
}

/* Enters part, making it if missing: TOML_IMPLICIT for "a" of [a.b], TOML_HEADED for "b",
 * TOML_TABLES for that of [[a.b]]; TOML_DOTTED for "a" of a.b = 1, TOML_VALUE for "b". */
static int enter(struct reader *r, struct place *place, const char *part, enum toml_kind kind)
{
	struct toml_name **at = &place->self->first;
	const char *why = NULL;

	while (*at && strcmp((*at)->name, part) != 0)
		at = &(*at)->next;
	if (*at)
		why = clash(kind, (*at)->kind);
	else if (r->n_names++ == NAMES_MAX)
		why = "more keys and tables than can be read";
	if (why)
		return toml_fail(r, why);
	if (!*at) {
		*at = arena_alloc(r->arena, sizeof(**at));
		if (!*at)
			return err_memory(r->err);
		**at = (struct toml_name){.name = part, .kind = kind};
	}
	place->self = *at;
	if (kind == TOML_HEADED)
		place->self->kind = kind;
	if (kind == TOML_TABLES)
		place->self->first = NULL; /* names of its own */
	place->muted |= place->self->kind == TOML_TABLES;
	part = toml_spell(r->arena, part);
	if (part && place->table[0])
		part = arena_printf(r->arena, "%s.%s", place->table, part);
	if (!part)
		return err_memory(r->err);
	place->table = part;
	return 0;
}

/* ---- headings ---- */

static int read_heading(struct reader *r, struct toml_name *top, struct place *ret_place)
{
	struct place place = {.table = "", .self = top};
	enum toml_kind kind = r->at[1] == '[' ? TOML_TABLES : TOML_HEADED;
	size_t brackets = kind == TOML_TABLES ? 2 : 1;
	const char *part = NULL;

	r->at += brackets;
	for (;;) {
		if (read_part(r, &part) < 0)
			return -1;
		if (*r->at != '.')
			break;
		r->at++;
		if (enter(r, &place, part, TOML_IMPLICIT) < 0)
			return -1;
	}
	if (strncmp(r->at, "]]", brackets) != 0)
		return toml_fail(r, "the heading of this table is not closed");
	r->at += brackets;
	if (enter(r, &place, part, kind) < 0 || finish_line(r) < 0)
		return -1;
	*ret_place = place;
	keep(r, &place, &heading);
	return 0;
}

/* ---- values ---- */

static int read_value(struct reader *r, const struct place *place, int depth,
		      struct toml_item *value);

static int read_array(struct reader *r, int depth, struct toml_item *value)
{
	const char **end;
	size_t room = 0;

	value->type = TOML_STRINGS;
	for (r->at++;; r->at++) {
		struct toml_item item = {0};
		struct toml_name self = {0}; /* of tables in arrays */
		const struct place inside = {.table = "", .self = &self, .muted = true};

		if (skip_lines(r) < 0)
			return -1;
		if (*r->at == ']')
			break;
		if (read_value(r, &inside, depth + 1, &item) < 0)
			return -1;
		if (item.type != TOML_STRING)
			value->type = TOML_OTHER;
		end = arena_push(r->arena, value->strings, value->n, room);
		if (!end)
			return err_memory(r->err);
		*end = item.string;
		if (skip_lines(r) < 0)
			return -1;
		if (*r->at == ']')
			break;
		if (*r->at != ',')
			return toml_fail(r, "this array is not closed");
	}
	r->at++;
	end = arena_push(r->arena, value->strings, value->n, room);
	if (!end)
		return err_memory(r->err);
	*end = NULL;
	value->n--;
	return 0;
}

static int read_pair(struct reader *r, struct place place, int depth);

/* One line, except in its values */
static int read_inline_table(struct reader *r, const struct place *place, int depth)
{
	keep(r, place, &heading);
	r->at++;
	skip_spaces(r);
	if (*r->at == '}') {
		r->at++;
		return 0;
	}
	for (;; r->at++) {
		if (read_pair(r, *place, depth + 1) < 0)
			return -1;
		skip_spaces(r);
		if (*r->at == '}')
			break;
		if (*r->at != ',')
			return toml_fail(r, "this inline table is not closed");
	}
	r->at++;
	return 0;
}

static int read_value(struct reader *r, const struct place *place, int depth,
		      struct toml_item *value)
{
	value->type = *r->at == '{' ? TOML_TABLE : TOML_OTHER;
	if (depth > DEPTH_MAX)
		return toml_fail(r, "arrays or tables are nested too deeply");
	if (value->type == TOML_TABLE)
		return read_inline_table(r, place, depth);
	if (*r->at == '[')
		return read_array(r, depth, value);
	if (!at_string(r))
		return skip_scalar(r);
	value->type = TOML_STRING;
	return read_string(r, true, &value->string);
}

/* key = value */
static int read_pair(struct reader *r, struct place place, int depth)
{
	const char *begin;
	struct toml_item value = {0};
	struct place inside;
	const char *part = NULL;

	for (;; r->at++) {
		skip_spaces(r);
		begin = r->at;
		if (read_part(r, &part) < 0)
			return -1;
		if (*r->at != '.')
			break;
		if (enter(r, &place, part, TOML_DOTTED) < 0)
			return -1;
	}
	if (*r->at != '=')
		return toml_fail(r, "this key has no value");
	r->at++;
	skip_spaces(r);
	inside = place;
	if (enter(r, &inside, part, TOML_VALUE) < 0 || read_value(r, &inside, depth, &value) < 0)
		return -1;
	value.key = part;
	value.spelled = arena_strndup(r->arena, begin, (size_t)(r->at - begin));
	keep(r, &place, &value);
	return value.spelled ? 0 : err_memory(r->err);
}

static int read_tables(struct reader *r)
{
	struct toml_name top = {0};
	struct place place = {.table = "", .self = &top};

	if (strncmp(r->at, "\xef\xbb\xbf", 3) == 0)
		r->at += 3; /* byte order mark */
	for (;;) {
		if (skip_lines(r) < 0)
			return -1;
		if (!*r->at)
			return 0;
		if (*r->at == '[') {
			if (read_heading(r, &top, &place) < 0)
				return -1;
		} else if (read_pair(r, place, 0) < 0 || finish_line(r) < 0) {
			return -1;
		}
	}
}

int toml_read(struct arena *arena, const char *what, const char *text, struct toml_items *ret_items,
	      struct err *err)
{
	struct reader reader = {.arena = arena, .what = what, .at = text, .line = 1, .err = err};
	int status = read_tables(&reader);

	*ret_items = reader.items;
	return status < 0 ? -1 : err_of_arena(arena, err);
}
