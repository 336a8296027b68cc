/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/engine/toml.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The words of TOML 1.0: strings, and what else a value may be but an array or an inline table */
struct scan {
	struct arena *arena;
	const char *what; /* the file, for errors */
	const char *at;
	size_t line;
	struct err *err;
};

static int fail_scan(struct scan *scan, const char *why)
{
	return err_set(scan->err, "%s:%zu: %s", scan->what, scan->line, why);
}

/* ---- between words ---- */

static void skip_spaces(struct scan *scan)
{
	scan->at += strspn(scan->at, " \t");
}

static bool is_line_end(const char *at)
{
	return at[0] == '\n' || (at[0] == '\r' && at[1] == '\n');
}

static void skip_line_end(struct scan *scan)
{
	scan->at += scan->at[0] == '\r' ? 2 : 1;
	scan->line++;
}

/* The bytes of one character: 0 if it is none of UTF-8's (RFC 3629), or a control character. */
static size_t character(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t len = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;

	if (len == 1)
		return at[0] == '\t' || (at[0] >= 0x20 && at[0] != 0x7f);
	if (at[0] > 0xf4 || (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
	    (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	}
	return len;
}

/* A comment, if there is one, and the line's end; also at the text's end. */
static int finish_line(struct scan *scan)
{
	size_t len;

	skip_spaces(scan);
	if (*scan->at == '#') {
		while (*scan->at && !is_line_end(scan->at)) {
			len = character(scan->at);
			if (!len)
				return fail_scan(
					scan, "a control character, or bytes that are not UTF-8");
			scan->at += len;
		}
	}
	if (!*scan->at)
		return 0;
	if (!is_line_end(scan->at))
		return fail_scan(scan, "this is not TOML");
	skip_line_end(scan);
	return 0;
}

static int skip_lines(struct scan *scan)
{
	for (;;) {
		skip_spaces(scan);
		if (*scan->at != '#' && !is_line_end(scan->at))
			return 0;
		if (finish_line(scan) < 0)
			return -1;
	}
}

/* ---- strings ---- */

struct text {
	char *bytes; /* has room for all that is still to come: no escape is shorter than what it
			means */
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

/* \uXXXX, \UXXXXXXXX: a character of Unicode, and none of the halves of UTF-16 */
static int unescape_code(struct scan *scan, size_t digits, struct text *text)
{
	uint32_t code = 0;

	for (size_t i = 0; i < digits; i++) {
		static const char hex[] = "0123456789abcdef0123456789ABCDEF";
		const char *digit = *scan->at ? strchr(hex, *scan->at) : NULL;

		if (!digit)
			return fail_scan(scan, "an unknown escape sequence");
		code = code << 4 | (uint32_t)((digit - hex) & 15);
		scan->at++;
	}
	if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return fail_scan(scan, "an escape sequence that is not a character");
	/* A string of C cannot hold a NUL: told is the character for what cannot be shown. */
	add_utf8(text, code ? code : 0xfffd);
	return 0;
}

/* A backslash at a line's end: it, and all space up to the next character, is not there. */
static bool skip_continuation(struct scan *scan)
{
	const char *at = scan->at + strspn(scan->at, " \t");

	if (!is_line_end(at))
		return false;
	scan->at = at;
	while (is_line_end(scan->at)) {
		skip_line_end(scan);
		skip_spaces(scan);
	}
	return true;
}

static int unescape(struct scan *scan, bool several_lines, struct text *text)
{
	static const char from[] = "btnfr\"\\";
	static const char to[] = "\b\t\n\f\r\"\\";
	const char *found = *scan->at ? strchr(from, *scan->at) : NULL;
	char c = *scan->at;

	if (several_lines && skip_continuation(scan))
		return 0;
	if (c)
		scan->at++;
	if (c == 'u' || c == 'U')
		return unescape_code(scan, c == 'u' ? 4 : 8, text);
	if (!found)
		return fail_scan(scan, "an unknown escape sequence");
	text->bytes[text->len++] = to[found - from];
	return 0;
}

/* The last three quotes of up to five are the end of """ and '''. */
static bool at_end(const char *at, char quote, bool several_lines)
{
	if (at[0] != quote || !several_lines)
		return at[0] == quote;
	return at[1] == quote && at[2] == quote && at[3] != quote;
}

/* One character, as it stands */
static int take_character(struct scan *scan, bool several_lines, struct text *text)
{
	size_t len = character(scan->at);

	if (several_lines && is_line_end(scan->at)) {
		skip_line_end(scan);
		text->bytes[text->len++] = '\n';
		return 0;
	}
	if (!len)
		return fail_scan(scan,
				 is_line_end(scan->at) || !*scan->at
					 ? "this string is not closed"
					 : "a control character, or bytes that are not UTF-8");
	memcpy(text->bytes + text->len, scan->at, len);
	text->len += len;
	scan->at += len;
	return 0;
}

/* No longer than what is left up to its end */
static size_t room_of(const char *at, char quote, bool several_lines)
{
	size_t len = 0;

	while (at[len] && !at_end(at + len, quote, several_lines) &&
	       (several_lines || at[len] != '\n'))
		len += at[len] == '\\' && quote == '"' && at[len + 1] ? 2 : 1;
	return len + 1;
}

static bool at_string(const struct scan *scan)
{
	return *scan->at == '"' || *scan->at == '\'';
}

/* "basic", 'literal', and both of several lines where that is allowed. In the arena. */
static int read_string(struct scan *scan, bool several_lines, const char **ret)
{
	char quote = *scan->at;
	bool several = scan->at[1] == quote && scan->at[2] == quote;
	struct text text = {0};

	if (several && !several_lines)
		return fail_scan(scan, "a key must be on one line");
	scan->at += several ? 3 : 1;
	if (several && is_line_end(scan->at))
		skip_line_end(scan);
	text.bytes = arena_alloc(scan->arena, room_of(scan->at, quote, several) + 1);
	if (!text.bytes)
		return err_memory(scan->err);
	while (!at_end(scan->at, quote, several)) {
		bool escaped = *scan->at == '\\' && quote == '"';

		scan->at += escaped;
		/* """""" is the empty one, and of seven quotes and more no one makes sense. */
		if (several && !escaped && strspn(scan->at, (char[]){quote, '\0'}) > 5)
			return fail_scan(scan, "more than five quotes in a row");
		if ((escaped ? unescape(scan, several, &text)
			     : take_character(scan, several, &text)) < 0)
			return -1;
	}
	scan->at += several ? 3 : 1;
	text.bytes[text.len] = '\0';
	*ret = text.bytes;
	return 0;
}

/* ---- numbers, dates, truths ---- */

/* None of the settings that we read is one. What is refused is a text whose quotes were forgotten;
 * that a date exists, or a number fits, is for the engine to say. */
static int skip_scalar(struct scan *scan)
{
	static const char end[] = " \t\r\n,]}#";
	static const char *const words[] = {"true", "false", "inf", "nan"};
	const char *at = scan->at + strspn(scan->at, "+-");
	size_t len = strcspn(at, end);
	bool good =
		*at >= '0' && *at <= '9' && strspn(at, "0123456789abcdefABCDEFoxTtZz_+-.:") == len;

	/* A space may stand between date and time. */
	if (good && len == strlen("1979-05-27") && at[4] == '-' && at[len] == ' ' &&
	    at[len + 1] >= '0' && at[len + 1] <= '9')
		len += 1 + strcspn(at + len + 1, end);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		good |= strlen(words[i]) == len && memcmp(at, words[i], len) == 0;
	if (!good)
		return fail_scan(scan, "expected a string, number, boolean, date, array or table");
	scan->at = at + len;
	return 0;
}

enum toml_kind {
	TOML_IMPLICIT, /* a table, by the heading of one below it */
	TOML_HEADED,   /* a table that has its own heading */
	TOML_DOTTED,   /* a table, by a dotted key */
	TOML_TABLES,   /* an array of tables */
	TOML_VALUE,    /* all that is closed: a value, an array, an inline table */
};

/* A name in a table. All that are in it are listed behind .first. */
struct toml_name {
	const char *name;
	enum toml_kind kind;
	struct toml_name *first;
	struct toml_name *next;
};

/* A name is looked for among all of its table. */
#define NAMES_MAX 16384

#define BARE "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
#define DEPTH_MAX 64

struct reader {
	struct scan scan;
	size_t n_names;
	struct toml_items items;
};

/* A table: where a name that comes is defined */
struct place {
	const char *table; /* its whole name, "" at the top */
	struct toml_name *self;
	bool muted; /* it is below an array, of which nothing is kept */
};

static int fail_at(struct reader *r, const char *why)
{
	return fail_scan(&r->scan, why);
}

int toml_items_add(struct arena *arena, struct toml_items *items, const struct toml_item *item,
		   const char *table)
{
	struct toml_item *added = arena_push(arena, items->item, items->n, items->room);

	if (!added)
		return -1;
	*added = *item;
	added->table = table;
	return 0;
}

static int keep_value(struct reader *r, const struct place *place, const struct toml_item *item)
{
	if (place->muted || toml_items_add(r->scan.arena, &r->items, item, place->table) == 0)
		return 0;
	return err_memory(r->scan.err);
}

static int keep_heading(struct reader *r, const struct place *place)
{
	return keep_value(r, place,
			  &(struct toml_item){.type = TOML_HEADING, .key = "", .spelled = ""});
}

/* ---- names ---- */

/* A bare key or a string, and the space behind it */
static int read_part(struct reader *r, const char **ret)
{
	size_t len;

	skip_spaces(&r->scan);
	if (at_string(&r->scan)) {
		if (read_string(&r->scan, false, ret) < 0)
			return -1;
	} else {
		len = strspn(r->scan.at, BARE);
		if (!len)
			return fail_at(r, "a name is missing here");
		*ret = arena_strndup(r->scan.arena, r->scan.at, len);
		if (!*ret)
			return err_memory(r->scan.err);
		r->scan.at += len;
	}
	skip_spaces(&r->scan);
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
	struct scan scan = {.arena = arena, .what = table, .at = table, .err = &ignored};
	const char *part = NULL;

	if (!at_string(&scan)) {
		size_t len = strspn(table, BARE);

		part = arena_strndup(arena, table, len);
		scan.at += len;
	} else if (read_string(&scan, false, &part) < 0) {
		return NULL; /* without memory: it is spelled right */
	}
	*ret_rest = *scan.at == '.' ? scan.at + 1 : scan.at;
	return part;
}

/* Goes into the table of that name, which is there or is made now. */
static int enter(struct reader *r, struct place *place, struct toml_name *name)
{
	const char *part = toml_spell(r->scan.arena, name->name);

	if (name->kind == TOML_TABLES)
		place->muted = true;
	place->self = name;
	if (part && place->table[0])
		part = arena_printf(r->scan.arena, "%s.%s", place->table, part);
	if (!part)
		return err_memory(r->scan.err);
	place->table = part;
	return 0;
}

/* The name in a table. It is made, of that kind, if it is not there: *ret_new. NULL with the
 * reason. */
static struct toml_name *name_in(struct reader *r, const struct place *place, const char *part,
				 enum toml_kind kind, bool *ret_new)
{
	struct toml_name **name = &place->self->first;

	while (*name && strcmp((*name)->name, part) != 0)
		name = &(*name)->next;
	*ret_new = !*name;
	if (!*ret_new)
		return *name;
	if (r->n_names++ == NAMES_MAX) {
		(void)fail_at(r, "more keys and tables than can be read");
		return NULL;
	}
	*name = arena_alloc(r->scan.arena, sizeof(**name));
	if (*name)
		**name = (struct toml_name){.name = part, .kind = kind};
	else
		(void)err_memory(r->scan.err);
	return *name;
}

/* ---- headings ---- */

/* "a" of [a.b] */
static int enter_above(struct reader *r, struct place *place, const char *part)
{
	bool is_new;
	struct toml_name *name = name_in(r, place, part, TOML_IMPLICIT, &is_new);

	if (!name)
		return -1;
	if (name->kind == TOML_VALUE)
		return fail_at(r, "this table lies inside something that is not a table, or that "
				  "cannot be extended");
	return enter(r, place, name);
}

/* "b" of [a.b], or of [[a.b]] */
static int enter_own(struct reader *r, struct place *place, const char *part, enum toml_kind kind)
{
	bool is_new;
	struct toml_name *name = name_in(r, place, part, kind, &is_new);

	if (!name)
		return -1;
	if (!is_new && !(kind == TOML_HEADED && name->kind == TOML_IMPLICIT) &&
	    !(kind == TOML_TABLES && name->kind == TOML_TABLES))
		return fail_at(r, "this table is defined twice");
	name->kind = kind;
	if (kind == TOML_TABLES)
		name->first = NULL; /* each has names of its own */
	return enter(r, place, name);
}

static int read_heading(struct reader *r, struct toml_name *top, struct place *ret_place)
{
	struct place place = {.table = "", .self = top};
	enum toml_kind kind = r->scan.at[1] == '[' ? TOML_TABLES : TOML_HEADED;
	size_t brackets = kind == TOML_TABLES ? 2 : 1;
	const char *part = NULL;

	r->scan.at += brackets;
	for (;;) {
		if (read_part(r, &part) < 0)
			return -1;
		if (*r->scan.at != '.')
			break;
		r->scan.at++;
		if (enter_above(r, &place, part) < 0)
			return -1;
	}
	if (strncmp(r->scan.at, "]]", brackets) != 0)
		return fail_at(r, "the heading of this table is not closed");
	r->scan.at += brackets;
	if (enter_own(r, &place, part, kind) < 0 || finish_line(&r->scan) < 0)
		return -1;
	*ret_place = place;
	return keep_heading(r, &place);
}

/* ---- values ---- */

static int read_value(struct reader *r, const struct place *place, int depth,
		      struct toml_item *value);

static int read_array(struct reader *r, int depth, struct toml_item *value)
{
	size_t room = 0;

	value->type = TOML_STRINGS;
	for (r->scan.at++;; r->scan.at++) {
		struct toml_item item = {0};
		struct toml_name self = {0}; /* Tables in arrays have names of their own. */
		const struct place inside = {.table = "", .self = &self, .muted = true};

		if (skip_lines(&r->scan) < 0)
			return -1;
		if (*r->scan.at == ']')
			break;
		if (read_value(r, &inside, depth + 1, &item) < 0)
			return -1;
		if (item.type != TOML_STRING) {
			value->type = TOML_OTHER;
		} else {
			const char **string =
				arena_push(r->scan.arena, value->strings, value->n, room);

			if (!string)
				return err_memory(r->scan.err);
			*string = item.string;
		}
		if (skip_lines(&r->scan) < 0)
			return -1;
		if (*r->scan.at == ']')
			break;
		if (*r->scan.at != ',')
			return fail_at(r, "this array is not closed");
	}
	r->scan.at++;
	return 0;
}

static int read_pair(struct reader *r, struct place place, int depth);

/* On one line, except what its values hold */
static int read_inline_table(struct reader *r, const struct place *place, int depth)
{
	if (keep_heading(r, place) < 0)
		return -1;
	r->scan.at++;
	skip_spaces(&r->scan);
	if (*r->scan.at == '}') {
		r->scan.at++;
		return 0;
	}
	for (;; r->scan.at++) {
		if (read_pair(r, *place, depth + 1) < 0)
			return -1;
		skip_spaces(&r->scan);
		if (*r->scan.at == '}')
			break;
		if (*r->scan.at != ',')
			return fail_at(r, "this inline table is not closed");
	}
	r->scan.at++;
	return 0;
}

/* place: of what is below it, if it is a table */
static int read_value(struct reader *r, const struct place *place, int depth,
		      struct toml_item *value)
{
	value->type = *r->scan.at == '{' ? TOML_TABLE : TOML_OTHER;
	if (depth > DEPTH_MAX)
		return fail_at(r, "arrays or tables are nested too deeply");
	if (value->type == TOML_TABLE)
		return read_inline_table(r, place, depth);
	if (*r->scan.at == '[')
		return read_array(r, depth, value);
	if (!at_string(&r->scan))
		return skip_scalar(&r->scan);
	value->type = TOML_STRING;
	return read_string(&r->scan, true, &value->string);
}

/* "a" of a.b = 1 */
static int enter_dotted(struct reader *r, struct place *place, const char *part)
{
	bool is_new;
	struct toml_name *name = name_in(r, place, part, TOML_DOTTED, &is_new);

	if (!name)
		return -1;
	if (name->kind != TOML_DOTTED)
		return fail_at(r,
			       "this dotted key leads into something that is not a table, or that "
			       "cannot be extended");
	return enter(r, place, name);
}

/* key = value */
static int read_pair(struct reader *r, struct place place, int depth)
{
	const char *begin;
	struct toml_item value = {0};
	struct place inside;
	struct toml_name *name;
	const char *part = NULL;
	bool is_new;

	for (;; r->scan.at++) {
		skip_spaces(&r->scan);
		begin = r->scan.at;
		if (read_part(r, &part) < 0)
			return -1;
		if (*r->scan.at != '.')
			break;
		if (enter_dotted(r, &place, part) < 0)
			return -1;
	}
	if (*r->scan.at != '=')
		return fail_at(r, "this key has no value");
	r->scan.at++;
	skip_spaces(&r->scan);
	name = name_in(r, &place, part, TOML_VALUE, &is_new);
	if (!name)
		return -1;
	if (!is_new)
		return fail_at(r, "this key is defined twice");
	inside = place;
	if (enter(r, &inside, name) < 0 || read_value(r, &inside, depth, &value) < 0)
		return -1;
	value.key = part;
	value.spelled = arena_strndup(r->scan.arena, begin, (size_t)(r->scan.at - begin));
	return value.spelled ? keep_value(r, &place, &value) : err_memory(r->scan.err);
}

static int read_tables(struct reader *r)
{
	struct toml_name top = {0};
	struct place place = {.table = "", .self = &top};

	if (strncmp(r->scan.at, "\xef\xbb\xbf", 3) == 0)
		r->scan.at += 3; /* a byte order mark, as editors of another system write it */
	for (;;) {
		if (skip_lines(&r->scan) < 0)
			return -1;
		if (!*r->scan.at)
			return 0;
		if (*r->scan.at == '[') {
			if (read_heading(r, &top, &place) < 0)
				return -1;
		} else if (read_pair(r, place, 0) < 0 || finish_line(&r->scan) < 0) {
			return -1;
		}
	}
}

int toml_read(struct arena *arena, const char *what, const char *text, struct toml_items *ret_items,
	      struct err *err)
{
	struct reader reader = {
		.scan = {.arena = arena, .what = what, .at = text, .line = 1, .err = err}};
	int status = read_tables(&reader);

	*ret_items = reader.items;
	return status;
}
