/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/engine/toml.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"

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
	struct toml_scan scan;
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
	return toml_fail(&r->scan, why);
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

	toml_skip_spaces(&r->scan);
	if (toml_at_string(&r->scan)) {
		if (toml_string(&r->scan, false, ret) < 0)
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
	toml_skip_spaces(&r->scan);
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
	struct toml_scan scan = {.arena = arena, .what = table, .at = table, .err = &ignored};
	const char *part = NULL;

	if (!toml_at_string(&scan)) {
		size_t len = strspn(table, BARE);

		part = arena_strndup(arena, table, len);
		scan.at += len;
	} else if (toml_string(&scan, false, &part) < 0) {
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
	if (enter_own(r, &place, part, kind) < 0 || toml_end_line(&r->scan) < 0)
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

		if (toml_skip_lines(&r->scan) < 0)
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
		if (toml_skip_lines(&r->scan) < 0)
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
	toml_skip_spaces(&r->scan);
	if (*r->scan.at == '}') {
		r->scan.at++;
		return 0;
	}
	for (;; r->scan.at++) {
		if (read_pair(r, *place, depth + 1) < 0)
			return -1;
		toml_skip_spaces(&r->scan);
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
	if (!toml_at_string(&r->scan))
		return toml_skip_scalar(&r->scan);
	value->type = TOML_STRING;
	return toml_string(&r->scan, true, &value->string);
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
		toml_skip_spaces(&r->scan);
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
	toml_skip_spaces(&r->scan);
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
		if (toml_skip_lines(&r->scan) < 0)
			return -1;
		if (!*r->scan.at)
			return 0;
		if (*r->scan.at == '[') {
			if (read_heading(r, &top, &place) < 0)
				return -1;
		} else if (read_pair(r, place, 0) < 0 || toml_end_line(&r->scan) < 0) {
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
