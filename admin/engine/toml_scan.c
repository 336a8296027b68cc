/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/engine/toml.h"

#include <stdint.h>
#include <string.h>

int toml_fail(struct toml_scan *scan, const char *why)
{
	return err_set(scan->err, "%s:%zu: %s", scan->what, scan->line, why);
}

/* ---- between words ---- */

void toml_skip_spaces(struct toml_scan *scan)
{
	scan->at += strspn(scan->at, " \t");
}

static bool is_line_end(const char *at)
{
	return at[0] == '\n' || (at[0] == '\r' && at[1] == '\n');
}

static void skip_line_end(struct toml_scan *scan)
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

int toml_end_line(struct toml_scan *scan)
{
	size_t len;

	toml_skip_spaces(scan);
	if (*scan->at == '#') {
		while (*scan->at && !is_line_end(scan->at)) {
			len = character(scan->at);
			if (!len)
				return toml_fail(
					scan, "a control character, or bytes that are not UTF-8");
			scan->at += len;
		}
	}
	if (!*scan->at)
		return 0;
	if (!is_line_end(scan->at))
		return toml_fail(scan, "this is not TOML");
	skip_line_end(scan);
	return 0;
}

int toml_skip_lines(struct toml_scan *scan)
{
	for (;;) {
		toml_skip_spaces(scan);
		if (*scan->at != '#' && !is_line_end(scan->at))
			return 0;
		if (toml_end_line(scan) < 0)
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
static int unescape_code(struct toml_scan *scan, size_t digits, struct text *text)
{
	uint32_t code = 0;

	for (size_t i = 0; i < digits; i++) {
		static const char hex[] = "0123456789abcdef0123456789ABCDEF";
		const char *digit = *scan->at ? strchr(hex, *scan->at) : NULL;

		if (!digit)
			return toml_fail(scan, "an unknown escape sequence");
		code = code << 4 | (uint32_t)((digit - hex) & 15);
		scan->at++;
	}
	if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return toml_fail(scan, "an escape sequence that is not a character");
	/* A string of C cannot hold a NUL: told is the character for what cannot be shown. */
	add_utf8(text, code ? code : 0xfffd);
	return 0;
}

/* A backslash at a line's end: it, and all space up to the next character, is not there. */
static bool skip_continuation(struct toml_scan *scan)
{
	const char *at = scan->at + strspn(scan->at, " \t");

	if (!is_line_end(at))
		return false;
	scan->at = at;
	while (is_line_end(scan->at)) {
		skip_line_end(scan);
		toml_skip_spaces(scan);
	}
	return true;
}

static int unescape(struct toml_scan *scan, bool several_lines, struct text *text)
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
		return toml_fail(scan, "an unknown escape sequence");
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
static int take_character(struct toml_scan *scan, bool several_lines, struct text *text)
{
	size_t len = character(scan->at);

	if (several_lines && is_line_end(scan->at)) {
		skip_line_end(scan);
		text->bytes[text->len++] = '\n';
		return 0;
	}
	if (!len)
		return toml_fail(scan,
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

bool toml_at_string(const struct toml_scan *scan)
{
	return *scan->at == '"' || *scan->at == '\'';
}

int toml_string(struct toml_scan *scan, bool several_lines, const char **ret)
{
	char quote = *scan->at;
	bool several = scan->at[1] == quote && scan->at[2] == quote;
	struct text text = {0};

	if (several && !several_lines)
		return toml_fail(scan, "a key must be on one line");
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
			return toml_fail(scan, "more than five quotes in a row");
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
int toml_skip_scalar(struct toml_scan *scan)
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
		return toml_fail(scan, "expected a string, number, boolean, date, array or table");
	scan->at = at + len;
	return 0;
}
