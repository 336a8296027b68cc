/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/engine/toml.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
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

#define DIGITS "0123456789"

/* Digits with single '_' between them. Returns how many bytes, or 0. */
static size_t digits(const char *at, const char *which)
{
	size_t len = 0;

	for (;;) {
		size_t n = strspn(at + len, which);

		if (!n)
			return 0;
		len += n;
		if (at[len] != '_')
			return len;
		len++;
	}
}

/* Digits without '_', of which there must be so many, between min and max */
static bool field(const char **at, size_t n, long min, long max)
{
	long value = 0;

	if (strspn(*at, DIGITS) < n)
		return false;
	for (size_t i = 0; i < n; i++)
		value = value * 10 + (*at)[i] - '0';
	*at += n;
	return value >= min && value <= max;
}

static bool sign(const char **at, char c)
{
	bool there = **at == c;

	*at += there;
	return there;
}

static long days_of(const char *date)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	long year = strtol(date, NULL, 10);
	long month = strtol(date + 5, NULL, 10);
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

static bool skip_date(const char **at)
{
	const char *begin = *at;

	return field(at, 4, 0, 9999) && sign(at, '-') && field(at, 2, 1, 12) && sign(at, '-') &&
	       field(at, 2, 1, days_of(begin));
}

static bool skip_time(const char **at)
{
	size_t n;

	if (!field(at, 2, 0, 23) || !sign(at, ':') || !field(at, 2, 0, 59) || !sign(at, ':') ||
	    !field(at, 2, 0, 60))
		return false;
	if (!sign(at, '.'))
		return true;
	n = strspn(*at, DIGITS);
	*at += n;
	return n > 0;
}

static bool skip_offset(const char **at)
{
	if (sign(at, 'Z') || sign(at, 'z'))
		return true;
	if (**at != '+' && **at != '-')
		return true;
	++*at;
	return field(at, 2, 0, 23) && sign(at, ':') && field(at, 2, 0, 59);
}

static bool skip_moment(const char **at)
{
	const char *next;

	if (strspn(*at, DIGITS) == 2)
		return skip_time(at);
	if (!skip_date(at))
		return false;
	if (!**at || !strchr("Tt ", **at))
		return true;
	next = *at + 1;
	if (**at == ' ' && strspn(next, DIGITS) < 2)
		return true;
	*at = next;
	return skip_time(at) && skip_offset(at);
}

/* 64 bits, as CRI-O's reader has them */
static bool fits(const char *at, size_t len)
{
	char plain[32];
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (at[i] == '_')
			continue;
		if (n + 1 == sizeof(plain))
			return false;
		plain[n++] = at[i];
	}
	plain[n] = '\0';
	errno = 0;
	(void)strtoll(plain, NULL, 10);
	return errno == 0;
}

static bool skip_based(const char **at)
{
	static const struct {
		char letter;
		const char *digits;
	} bases[] = {{'x', "0123456789abcdefABCDEF"}, {'o', "01234567"}, {'b', "01"}};

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		size_t len = (*at)[1] == bases[i].letter ? digits(*at + 2, bases[i].digits) : 0;

		*at += len ? 2 + len : 0;
		if (len)
			return true;
	}
	return false;
}

static bool skip_exponent(const char **at)
{
	size_t len;

	++*at;
	*at += **at == '+' || **at == '-';
	len = digits(*at, DIGITS);
	*at += len;
	return len > 0;
}

static bool skip_number(const char **at)
{
	const char *begin = *at;
	bool integer = true;
	size_t len;

	*at += **at == '+' || **at == '-';
	if (strncmp(*at, "inf", 3) == 0 || strncmp(*at, "nan", 3) == 0) {
		*at += 3;
		return true;
	}
	if (*at == begin && **at == '0' && strchr("xob", (*at)[1]) && (*at)[1])
		return skip_based(at);
	len = digits(*at, DIGITS);
	if (!len || (len > 1 && **at == '0'))
		return false;
	*at += len;
	if (sign(at, '.')) {
		integer = false;
		len = digits(*at, DIGITS);
		*at += len;
		if (!len)
			return false;
	}
	if (**at == 'e' || **at == 'E')
		return skip_exponent(at);
	return !integer || fits(begin, (size_t)(*at - begin));
}

static bool is_moment(const char *at)
{
	size_t len = strspn(at, DIGITS);

	return (len == 4 && at[4] == '-') || (len == 2 && at[2] == ':');
}

int toml_skip_scalar(struct toml_scan *scan)
{
	const char *at = scan->at;
	bool good = true;

	if (strncmp(at, "true", 4) == 0)
		at += 4;
	else if (strncmp(at, "false", 5) == 0)
		at += 5;
	else
		good = is_moment(at) ? skip_moment(&at) : skip_number(&at);
	/* What follows a value is seen by who asked for it. */
	if (!good || (*at && !strchr(" \t\r\n,]}#", *at)))
		return toml_fail(scan, "expected a string, number, boolean, date, array or table");
	scan->at = at;
	return 0;
}
