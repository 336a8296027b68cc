/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

unsigned long line_looks;

static const char *looked(const char *text, const char *end, const char *found)
{
	line_looks += (size_t)((found ? found : end) - text);
	return found;
}

const char *line_find(const char *text, const char *end, const char *part)
{
	return looked(text, end, memmem(text, (size_t)(end - text), part, strlen(part)));
}

const char *line_search(const char *text, const char *part)
{
	const char *found = strstr(text, part);

	return looked(text, found ? found : text + strlen(text), found);
}

const char *line_next(const char *at, const char *part)
{
	const char *next = line_search(at + strlen(part), part);

	return next ? next : at + strlen(at);
}

static bool is_part_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

const char *line_find_word(const char *text, const char *part, bool left_open, bool right_open)
{
	const char *at = text;
	size_t len = strlen(part);

	left_open = left_open || !is_part_of_word(part[0]);
	right_open = right_open || !is_part_of_word(part[len - 1]);
	while ((at = line_search(at, part))) {
		if ((left_open || at == text || !is_part_of_word(at[-1])) &&
		    (right_open || !isalpha((unsigned char)at[len])))
			return at;
		at += len;
	}
	return NULL;
}

/*
 * The number behind "status=": "12", "0xc", "IBV_WC_RETRY_EXC_ERR(12)" since NCCL 2.28.7,
 * "(IBV_WC_RETRY_EXC_ERR)12" in its resiliency's lines. A number behind other words is another's:
 * "completion[0] with error on rdmap132s0".
 */
static long number_at(const char *text)
{
	char *end;
	long number;

	text += strspn(text, " ");
	if (text[0] != '0' || text[1] != 'x')
		text += strspn(text, "abcdefghijklmnopqrstuvwxyz_()");
	number = strtol(text, &end, 0);
	return end == text ? UNKNOWN : number;
}

long line_number_behind(const char *text, const char *end, const char *const *fronts)
{
	for (; *fronts; fronts++) {
		const char *front = line_find(text, end, *fronts);

		if (front)
			return number_at(front + strlen(*fronts));
	}
	return UNKNOWN;
}
