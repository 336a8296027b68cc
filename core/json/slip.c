/* SPDX-License-Identifier: Apache-2.0 */
#include "core/json/reader.h"

#include <string.h>

/* As deep as a reader goes (JSON_DEPTH_MAX): what is nested deeper has that reason already. */
#define DEPTH_MAX 64

/* What has been read of a text; a place is an offset and its line */
struct place {
	char c; /* 0: none */
	size_t line;
};

struct scan {
	const char *text;
	size_t len;
	size_t at;
	size_t line;
	bool comments;
	struct place open[DEPTH_MAX]; /* brackets, and a string or a comment at the end */
	int depth;
	struct place before; /* the two last characters that mean something; a string is a '"' */
	struct place last;
};

static void push(struct scan *s, char c)
{
	if (s->depth < DEPTH_MAX)
		s->open[s->depth++] = (struct place){c, s->line};
}

static void pop(struct scan *s)
{
	if (s->depth)
		s->depth--;
}

static bool starts(const struct scan *s, const char *mark)
{
	size_t len = strlen(mark);

	return s->len - s->at >= len && memcmp(s->text + s->at, mark, len) == 0;
}

static void step(struct scan *s)
{
	s->line += s->text[s->at] == '\n';
	s->at++;
}

/* Up to behind the mark that ends what has begun as c; it stays open if there is none. */
static void skip(struct scan *s, char c, const char *mark)
{
	push(s, c);
	for (step(s); s->at < s->len; step(s)) {
		if (c == '"' && s->text[s->at] == '\\') {
			s->at++;
			if (s->at == s->len)
				return;
		} else if (starts(s, mark)) {
			for (size_t i = strlen(mark); i; i--)
				step(s);
			pop(s);
			return;
		}
	}
}

static void scan_one(struct scan *s)
{
	char c = s->text[s->at];

	if (s->comments && starts(s, "/*")) {
		step(s);
		skip(s, '*', "*/");
		return;
	}
	if (s->comments && starts(s, "//")) {
		while (s->at < s->len && s->text[s->at] != '\n')
			step(s);
		return;
	}
	if (!strchr(" \t\r\n", c)) {
		s->before = s->last;
		s->last = (struct place){c, s->line};
	}
	if (c == '"') {
		skip(s, c, "\"");
		return;
	}
	if (c == '{' || c == '[')
		push(s, c);
	if (c == '}' || c == ']')
		pop(s);
	step(s);
}

bool json_find_unclosed(const char *text, size_t len, bool comments, struct json_slip *ret_slip)
{
	struct scan s = {.text = text, .len = len, .line = 1, .comments = comments};
	const struct place *open;

	while (s.at < s.len)
		scan_one(&s);
	if (!s.depth)
		return false;
	open = &s.open[s.depth - 1];
	*ret_slip = (struct json_slip){open->c == '"'   ? "this string is not closed"
				       : open->c == '*' ? "this comment is not closed"
				       : open->c == '{' ? "this '{' is not closed"
							: "this '[' is not closed",
				       open->line};
	return true;
}

bool json_find_comma(const char *text, size_t len, size_t stopped, bool comments,
		     struct json_slip *ret_slip)
{
	struct scan s = {.text = text, .len = len, .line = 1, .comments = comments};

	/* A parser may not count the bracket that it stopped at. */
	while (s.at < s.len && (s.at < stopped || s.last.c == ','))
		scan_one(&s);
	if (s.before.c != ',' || (s.last.c != '}' && s.last.c != ']'))
		return false;
	*ret_slip = (struct json_slip){"nothing follows this comma", s.before.line};
	return true;
}
