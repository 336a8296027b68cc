/* SPDX-License-Identifier: Apache-2.0 */
#include "core/engine/toml.h"

#include <stdbool.h>
#include <string.h>

#define KEY_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."
#define DEPTH_MAX 16

struct reader {
	struct arena *arena;
	const char *what;
	const char *at;
	size_t line;
	const char *table;
	toml_take *take;
	void *context;
	struct err *err;
};

static int fail(struct reader *r, const char *why)
{
	return err_set(r->err, "%s:%zu: %s", r->what, r->line, why);
}

static void skip_spaces(struct reader *r)
{
	r->at += strspn(r->at, " \t\r");
}

/* Spaces, comments and line breaks */
static void skip_lines(struct reader *r)
{
	for (;;) {
		skip_spaces(r);
		if (*r->at == '#')
			r->at += strcspn(r->at, "\n");
		if (*r->at != '\n')
			return;
		r->at++;
		r->line++;
	}
}

static int end_line(struct reader *r)
{
	skip_spaces(r);
	if (*r->at == '#')
		r->at += strcspn(r->at, "\n");
	return *r->at == '\n' || !*r->at ? 0 : fail(r, "not understood");
}

/* One escape of a basic string; those that a path or a limit may need */
static int unescape(struct reader *r, char *ret)
{
	static const char from[] = "\\\"nt";
	static const char to[] = "\\\"\n\t";
	const char *found = r->at[0] ? strchr(from, r->at[0]) : NULL;

	if (!found)
		return fail(r, "an escape that is not understood");
	*ret = to[found - from];
	r->at++;
	return 0;
}

/* Up to the quote or the line's end, escapes as they stand */
static size_t length_of_string(const char *text, char quote)
{
	size_t len = 0;

	while (text[len] && text[len] != '\n' && text[len] != quote)
		len += text[len] == '\\' && quote == '"' && text[len + 1] ? 2 : 1;
	return len;
}

/* "basic" or 'literal', of one line */
static int read_string(struct reader *r, const char **ret)
{
	char quote = *r->at++;
	size_t max = length_of_string(r->at, quote);
	char *text = arena_alloc(r->arena, max + 1);
	size_t len = 0;

	if (!text)
		return err_memory(r->err);
	if (r->at[0] == quote && r->at[1] == quote)
		return fail(r, "a string of several lines is not understood");
	while (*r->at && *r->at != '\n' && *r->at != quote) {
		char c = *r->at++;

		if (c == '\\' && quote == '"' && unescape(r, &c) < 0)
			return -1;
		text[len++] = c;
	}
	if (*r->at != quote)
		return fail(r, "a string without an end");
	r->at++;
	*ret = text;
	return 0;
}

static bool at_string(const struct reader *r)
{
	return *r->at == '"' || *r->at == '\'';
}

static int skip_value(struct reader *r, int depth);

/* What stands between brackets: an array of other things, or an inline table */
static int skip_brackets(struct reader *r, char end, int depth)
{
	r->at++;
	skip_lines(r);
	while (*r->at && *r->at != end) {
		if (skip_value(r, depth + 1) < 0)
			return -1;
		skip_lines(r);
		if (*r->at == ',' || *r->at == '=')
			r->at++;
		skip_lines(r);
	}
	if (*r->at != end)
		return fail(r, "a bracket without an end");
	r->at++;
	return 0;
}

/* Goes at least a byte on, or fails: a bracket too many must not hold us. */
static int skip_value(struct reader *r, int depth)
{
	const char *ignored;
	size_t len;

	if (depth > DEPTH_MAX)
		return fail(r, "nested too deep");
	if (at_string(r))
		return read_string(r, &ignored);
	if (*r->at == '[')
		return skip_brackets(r, ']', depth);
	if (*r->at == '{')
		return skip_brackets(r, '}', depth);
	len = strspn(r->at, KEY_CHARACTERS "+:");
	r->at += len;
	return len ? 0 : fail(r, "not understood");
}

/* An array of strings, over as many lines as it wants */
static int read_array(struct reader *r, struct toml_value *value)
{
	const char *begin = r->at;
	size_t line = r->line;
	size_t room = 0;

	value->type = TOML_STRINGS;
	r->at++;
	for (;;) {
		const char **larger;

		skip_lines(r);
		if (*r->at == ']')
			break;
		if (!at_string(r)) {
			value->type = TOML_OTHER;
			r->at = begin;
			r->line = line;
			return skip_value(r, 0);
		}
		larger = arena_grow(r->arena, value->strings, value->n, &room, sizeof(*larger));
		if (!larger)
			return err_memory(r->err);
		value->strings = larger;
		if (read_string(r, &value->strings[value->n]) < 0)
			return -1;
		value->n++;
		skip_lines(r);
		if (*r->at == ',')
			r->at++;
		else if (*r->at != ']')
			return fail(r, "an array that is not understood");
	}
	r->at++;
	return 0;
}

static int read_value(struct reader *r, struct toml_value *value)
{
	skip_spaces(r);
	value->line = r->line;
	if (at_string(r)) {
		value->type = TOML_STRING;
		return read_string(r, &value->string);
	}
	if (*r->at == '[')
		return read_array(r, value);
	value->type = TOML_OTHER;
	if (*r->at == '\n' || !*r->at)
		return fail(r, "a key without a value");
	return skip_value(r, 0);
}

/* "a.b", "\"a\".b": dots separate, quotes go. end: what must follow */
static int read_name(struct reader *r, char end, const char **ret)
{
	const char *name = "";

	for (;;) {
		const char *part = NULL;
		size_t len = strspn(r->at, KEY_CHARACTERS);

		if (at_string(r)) {
			if (read_string(r, &part) < 0)
				return -1;
		} else {
			part = arena_strndup(r->arena, r->at, len);
			r->at += len;
		}
		name = part ? arena_printf(r->arena, "%s%s", name, part) : NULL;
		if (!name)
			return err_memory(r->err);
		skip_spaces(r);
		if (*r->at == end)
			break;
		if (*r->at != '.' && !at_string(r))
			return fail(r, "not understood");
		if (*r->at == '.') {
			name = arena_printf(r->arena, "%s.", name);
			r->at++;
		}
		skip_spaces(r);
		if (!name)
			return err_memory(r->err);
	}
	r->at++;
	*ret = name;
	return name[0] ? 0 : fail(r, "an empty name");
}

static int read_heading(struct reader *r)
{
	bool array = r->at[1] == '['; /* of tables; nothing that is looked for lies in one */
	const char *name;

	r->at += array ? 2 : 1;
	skip_spaces(r);
	if (read_name(r, ']', &name) < 0)
		return -1;
	if (array && *r->at++ != ']')
		return fail(r, "not understood");
	r->table = array ? arena_printf(r->arena, "%s[]", name) : name;
	if (!r->table)
		return err_memory(r->err);
	if (end_line(r) < 0)
		return -1;
	return r->take(r->context, r->table, "", NULL, r->err);
}

static int read_key(struct reader *r)
{
	struct toml_value value = {.spelled = r->at};
	const char *key = NULL;

	if (read_name(r, '=', &key) < 0 || read_value(r, &value) < 0)
		return -1;
	value.spelled_len = (size_t)(r->at - value.spelled);
	if (end_line(r) < 0)
		return -1;
	return r->take(r->context, r->table, key, &value, r->err);
}

int toml_read(struct arena *arena, const char *what, const char *text, toml_take *take,
	      void *context, struct err *err)
{
	struct reader reader = {.arena = arena,
				.what = what,
				.at = text,
				.line = 1,
				.table = "",
				.take = take,
				.context = context,
				.err = err};

	for (;;) {
		skip_lines(&reader);
		if (!*reader.at)
			return 0;
		if ((*reader.at == '[' ? read_heading(&reader) : read_key(&reader)) < 0)
			return -1;
	}
}
