/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/failure.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "doctor/symptom/line.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

static bool is_one_of(char c, const char *characters)
{
	return c && strchr(characters, c);
}

/* Names: "libgpg-error.so", "subnet_timeout", "FatalErr-"; not "KeyError" or "level=error" */
static bool is_name(char before, const char *at, const char *word, const char *end)
{
	if (isalnum((unsigned char)before))
		return end != at + strlen(word) || !is_one_of(*word, "e");
	return is_one_of(before, "_-/.#") || (before == '=' && memcmp(at - 6, "level", 5) != 0) ||
	       is_one_of(*end, "_/-+" DIGITS) || (*end == '.' && isalpha((unsigned char)end[1])) ||
	       (*end == '=' && (*word != 'e' || isdigit((unsigned char)end[1])));
}

/* end: behind the noun. "CRC Errors: 0", "Last error:", plural headings, a setting "timeout 60" */
static bool is_label(const char *at, const char *end)
{
	static const char *const values[] = {"n/a", "no",  "not supported", "range",
					     "yes", "off", "disabled",      NULL};
	const char *value = end + strspn(end, LETTERS " \t-()" DIGITS);

	if (strncmp(at, "failed", 6) == 0 || !is_one_of(*value, ":.|"))
		return (!*end && end[-1] == 's') ||
		       (strncmp(at, "timeout ", 8) == 0 && is_one_of(at[8], "-" DIGITS));
	value += strspn(value, " \t.:|");
	return !*value || (isdigit((unsigned char)*value) && strcspn(value, " ") < 12) ||
	       line_begins(value, values);
}

bool failure_reported(const char *line, const char *word)
{
	static const char *const nouns[] = {"error", "timeout", "fail", "exception", NULL};
	bool noun = line_begins(word, nouns);

	for (const char *at = line; (at = strstr(at, word)); at++) {
		const char *end = at + strlen(word);
		char before = ' ';

		end += strspn(end, LETTERS);
		if (at > line)
			before = at[-1];
		if (before == '=' && at - line < 6)
			before = '_';
		if (!is_name(before, at, word, end) && !(noun && is_label(at, end)))
			return true;
	}
	return false;
}

bool failure_elsewhere(const char *line)
{
	static const char *const ours[] = {"mlx",    "infiniband", "rdma", "ib_",   "iommu",
					   "dmar",   "vfio",       "nvrm", "pcie",  "nvidia",
					   "killed", "memory",     " ucx", "limit", NULL};
	const char *level = strstr(line, "]:[");
	double seconds;

	level = strncmp(line, "[rank", 5) == 0 && level ? level + 3 : line + (*line == '[');
	if (is_one_of(*level, "iw") && strspn(level + 1, DIGITS) == 4 && level[5] == ' ')
		return true;
	return (sscanf(line, "[%lf] ", &seconds) == 1 || strstr(line, " kernel: ")) &&
	       !line_has(line, ours);
}

bool failure_is_exception(const char *line)
{
	static const char *const ends[] = {"error:", "exception:", "interrupt:", "exit:", NULL};
	const char *colon = line + strspn(line, LETTERS DIGITS "._");
	const char *end;

	if (*colon != ':' || !colon[1 + strspn(colon + 1, " ")])
		return false;
	/* "error: …" without a name is a log level. */
	for (end = line + 1; end < colon && !line_begins(end, ends);)
		end++;
	return end < colon && strchr(end, ':') == colon;
}
