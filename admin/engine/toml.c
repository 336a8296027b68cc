/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/engine/toml.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

struct toml_name {
	const void *scope; /* in which it is known */
	const char *name;
	enum toml_kind kind;
	const void *own; /* the scope of what is below it */
};

struct toml_names {
	struct toml_name **slot; /* a hash table */
	size_t n;
	size_t room;
};

#define ROOM_FIRST 64

/* FNV-1a */
static uint64_t hash(const void *scope, const char *name)
{
	uint64_t value = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)(uintptr_t)scope;

	for (; *name; name++)
		value = (value ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return value ^ value >> 32;
}

/* Where it is, or where it would be: at most three of four are taken. */
static struct toml_name **find(const struct toml_names *names, const void *scope, const char *name)
{
	size_t i = hash(scope, name) % names->room;

	while (names->slot[i] &&
	       (names->slot[i]->scope != scope || strcmp(names->slot[i]->name, name) != 0))
		i = (i + 1) % names->room;
	return &names->slot[i];
}

static int grow(struct arena *arena, struct toml_names *names)
{
	struct toml_names larger = {.n = names->n,
				    .room = names->room ? 2 * names->room : ROOM_FIRST};

	if (names->n + 1 < names->room - names->room / 4)
		return 0;
	larger.slot = arena_alloc(arena, larger.room * sizeof(struct toml_name *));
	if (!larger.slot)
		return -1;
	for (size_t i = 0; i < names->room; i++) {
		struct toml_name *old = names->slot[i];

		if (old)
			*find(&larger, old->scope, old->name) = old;
	}
	*names = larger;
	return 0;
}

/* The name in a scope. It is made, of that kind, where it is not there: *ret_new. NULL without
 * memory. */
static struct toml_name *toml_name(struct arena *arena, struct toml_names *names, const void *scope,
				   const char *name, enum toml_kind kind, bool *ret_new)
{
	struct toml_name **place;
	struct toml_name *made;

	if (grow(arena, names) < 0)
		return NULL;
	place = find(names, scope, name);
	*ret_new = !*place;
	if (!*ret_new)
		return *place;
	made = arena_alloc(arena, sizeof(*made));
	if (!made)
		return NULL;
	*made = (struct toml_name){.scope = scope, .name = name, .kind = kind, .own = made};
	*place = made;
	names->n++;
	return made;
}

#define BARE "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
#define DEPTH_MAX 64

struct reader {
	struct toml_scan scan;
	struct toml_names names;
	toml_take *take;
	void *context;
};

/* A table: where a name that comes is defined */
struct place {
	const char *table; /* its whole name, "" at the top */
	const void *scope;
	bool muted; /* it is below an array: nothing is told of it */
};

static int fail(struct reader *r, const char *why)
{
	return toml_fail(&r->scan, why);
}

static int tell_heading(struct reader *r, const struct place *place)
{
	return place->muted ? 0 : r->take(r->context, place->table, "", NULL, r->scan.err);
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
			return fail(r, "a name is missing here");
		*ret = arena_strndup(r->scan.arena, r->scan.at, len);
		if (!*ret)
			return err_memory(r->scan.err);
		r->scan.at += len;
	}
	toml_skip_spaces(&r->scan);
	return 0;
}

static bool is_bare(const char *part)
{
	return part[0] && !part[strspn(part, BARE)];
}

const char *toml_spell(struct arena *arena, const char *part)
{
	char *text;
	char *at;

	if (is_bare(part))
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
static int enter(struct reader *r, struct place *place, const struct toml_name *name)
{
	const char *part = toml_spell(r->scan.arena, name->name);

	if (name->kind == TOML_TABLES)
		place->muted = true;
	place->scope = name->own;
	if (part && place->table[0])
		part = arena_printf(r->scan.arena, "%s.%s", place->table, part);
	if (!part)
		return err_memory(r->scan.err);
	place->table = part;
	return 0;
}

static struct toml_name *name_in(struct reader *r, const struct place *place, const char *part,
				 enum toml_kind kind, bool *ret_new)
{
	struct toml_name *name = NULL;

	if (part)
		name = toml_name(r->scan.arena, &r->names, place->scope, part, kind, ret_new);
	if (!name)
		(void)err_memory(r->scan.err);
	return name;
}

/* ---- headings ---- */

/* "a" of [a.b] */
static int enter_above(struct reader *r, struct place *place, const char *part)
{
	bool is_new;
	const struct toml_name *name = name_in(r, place, part, TOML_IMPLICIT, &is_new);

	if (!name)
		return -1;
	if (name->kind == TOML_VALUE)
		return fail(r, "this table lies inside something that is not a table, or that "
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
		return fail(r, "this table is defined twice");
	name->kind = kind;
	if (kind == TOML_TABLES && !(name->own = arena_alloc(r->scan.arena, 1)))
		return err_memory(r->scan.err);
	return enter(r, place, name);
}

static int read_heading(struct reader *r, struct place *ret_place)
{
	struct place place = {.table = "", .scope = r};
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
		return fail(r, "the heading of this table is not closed");
	r->scan.at += brackets;
	if (enter_own(r, &place, part, kind) < 0 || toml_end_line(&r->scan) < 0)
		return -1;
	*ret_place = place;
	return tell_heading(r, &place);
}

/* ---- values ---- */

static int read_value(struct reader *r, const struct place *place, int depth,
		      struct toml_value *value);

static int add_string(struct reader *r, struct toml_value *value, size_t *room, const char *string)
{
	const char **larger =
		arena_grow(r->scan.arena, value->strings, value->n, room, sizeof(*larger));

	if (!larger)
		return err_memory(r->scan.err);
	value->strings = larger;
	value->strings[value->n++] = string;
	return 0;
}

/* Tables in arrays have names of their own. */
static int read_item(struct reader *r, int depth, struct toml_value *ret_item)
{
	struct place inside = {.table = "", .scope = arena_alloc(r->scan.arena, 1), .muted = true};

	if (!inside.scope)
		return err_memory(r->scan.err);
	return read_value(r, &inside, depth + 1, ret_item);
}

static int read_array(struct reader *r, int depth, struct toml_value *value)
{
	size_t room = 0;

	value->type = TOML_STRINGS;
	for (r->scan.at++;; r->scan.at++) {
		struct toml_value item = {0};

		if (toml_skip_lines(&r->scan) < 0)
			return -1;
		if (*r->scan.at == ']')
			break;
		if (read_item(r, depth, &item) < 0)
			return -1;
		if (item.type != TOML_STRING)
			value->type = TOML_OTHER;
		else if (add_string(r, value, &room, item.string) < 0)
			return -1;
		if (toml_skip_lines(&r->scan) < 0)
			return -1;
		if (*r->scan.at == ']')
			break;
		if (*r->scan.at != ',')
			return fail(r, "this array is not closed");
	}
	r->scan.at++;
	return 0;
}

static int read_pair(struct reader *r, struct place place, int depth);

/* On one line, except what its values hold */
static int read_inline_table(struct reader *r, const struct place *place, int depth)
{
	if (tell_heading(r, place) < 0)
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
			return fail(r, "this inline table is not closed");
	}
	r->scan.at++;
	return 0;
}

/* place: of what is below it, if it is a table */
static int read_value(struct reader *r, const struct place *place, int depth,
		      struct toml_value *value)
{
	value->line = r->scan.line;
	value->type = *r->scan.at == '{' ? TOML_TABLE : TOML_OTHER;
	if (depth > DEPTH_MAX)
		return fail(r, "arrays or tables are nested too deeply");
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
	const struct toml_name *name = name_in(r, place, part, TOML_DOTTED, &is_new);

	if (!name)
		return -1;
	if (name->kind != TOML_DOTTED)
		return fail(r, "this dotted key leads into something that is not a table, or that "
			       "cannot be extended");
	return enter(r, place, name);
}

/* key = value */
static int read_pair(struct reader *r, struct place place, int depth)
{
	struct toml_value value = {0};
	struct place inside;
	const struct toml_name *name;
	const char *part = NULL;
	bool is_new;

	for (;; r->scan.at++) {
		toml_skip_spaces(&r->scan);
		value.spelled = r->scan.at;
		if (read_part(r, &part) < 0)
			return -1;
		if (*r->scan.at != '.')
			break;
		if (enter_dotted(r, &place, part) < 0)
			return -1;
	}
	if (*r->scan.at != '=')
		return fail(r, "this key has no value");
	r->scan.at++;
	toml_skip_spaces(&r->scan);
	name = name_in(r, &place, part, TOML_VALUE, &is_new);
	if (!name)
		return -1;
	if (!is_new)
		return fail(r, "this key is defined twice");
	inside = place;
	if (enter(r, &inside, name) < 0 || read_value(r, &inside, depth, &value) < 0)
		return -1;
	value.spelled_len = (size_t)(r->scan.at - value.spelled);
	return place.muted ? 0 : r->take(r->context, place.table, part, &value, r->scan.err);
}

int toml_read(struct arena *arena, const char *what, const char *text, toml_take *take,
	      void *context, struct err *err)
{
	struct reader reader = {
		.scan = {.arena = arena, .what = what, .at = text, .line = 1, .err = err},
		.take = take,
		.context = context};
	struct place place = {.table = "", .scope = &reader};

	if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
		reader.scan.at += 3; /* a byte order mark, as editors of another system write it */
	for (;;) {
		if (toml_skip_lines(&reader.scan) < 0)
			return -1;
		if (!*reader.scan.at)
			return 0;
		if (*reader.scan.at == '[') {
			if (read_heading(&reader, &place) < 0)
				return -1;
		} else if (read_pair(&reader, place, 0) < 0 || toml_end_line(&reader.scan) < 0) {
			return -1;
		}
	}
}
