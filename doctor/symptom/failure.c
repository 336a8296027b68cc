/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/failure.h"

#include <stddef.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

/* How far behind a label its ':' may stand: "Correctable Error                    : 0" */
#define LABEL_MAX 40

static bool is_one_of(char c, const char *characters)
{
	return c && strchr(characters, c);
}

/* "libgpg-error.so", "subnet_timeout", "…/errors/__init__.py", "PIP_DEFAULT_TIMEOUT=180",
 * "SyncookiesFailed", "FatalErr-": a name. "KeyError" is none, nor is "level=error". */
static bool is_name(const char *line, const char *at, const char *word, const char *end)
{
	bool glued = at > line && is_one_of(at[-1], LETTERS DIGITS);
	bool in_exception = (strcmp(word, "error") == 0 || strcmp(word, "exception") == 0) &&
			    end == at + strlen(word);

	if (at > line && is_one_of(at[-1], "_-/.#"))
		return true;
	if (at > line && at[-1] == '=' && (at - line < 6 || memcmp(at - 6, "level=", 6) != 0))
		return true;
	if (glued && !in_exception)
		return true;
	if (*end == '=')
		return strcmp(word, "error") != 0 || is_one_of(end[1], DIGITS);
	return is_one_of(*end, "_/-+" DIGITS) || (*end == '.' && is_one_of(end[1], LETTERS));
}

/* "N/A", "0", "0x0", "50us to 50ms", "Not Supported", "Range AB": what no message says */
static bool is_value(const char *text)
{
	static const char *const values[] = {"n/a",   "no",  "none",     "yes", "not supported",
					     "range", "off", "disabled", "on",  "enabled"};

	text += strspn(text, " \t.:=");
	if (!*text)
		return true;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		size_t len = strlen(values[i]);

		if (strncmp(text, values[i], len) == 0 && !is_one_of(text[len], LETTERS "'"))
			return true;
	}
	return is_one_of(*text, DIGITS) && strcspn(text, " ") < 12;
}

/* end: behind the noun. "CRC Errors: 0", "Remapping Failure Occurred : No", "Last error:", a
 * heading that ends with it */
static bool is_label(const char *end)
{
	const char *colon = end + strspn(end, LETTERS " \t-" DIGITS);

	if (!*end)
		return end[-1] == 's';
	if ((*colon == ':' || *colon == '.' || *colon == '|') && colon - end < LABEL_MAX)
		return is_value(colon);
	return false;
}

bool failure_reported(const char *line, const char *word)
{
	static const char *const nouns[] = {"error", "timeout", "fail", "exception"};
	bool noun = false;

	for (size_t i = 0; i < sizeof(nouns) / sizeof(*nouns); i++)
		noun = noun || strcmp(word, nouns[i]) == 0;
	for (const char *at = line; (at = strstr(at, word)); at++) {
		const char *end = at + strlen(word);

		end += strspn(end, LETTERS);
		if (is_name(line, at, word, end))
			continue;
		/* "failed: 42" is a message, "Failures: 0" a label. */
		if (noun && strncmp(at, "failed", 6) != 0 && is_label(end))
			continue;
		if (strcmp(word, "timeout") == 0 && *end == ' ' && is_one_of(end[1], "-" DIGITS))
			continue; /* the command, or a setting */
		return true;
	}
	return false;
}

/* "[  171.004492] ", "node kernel: ": a healthy node's kernel complains of its firmware. */
static bool is_of_another_driver(const char *line)
{
	static const char *const ours[] = {"mlx",   "infiniband", "rdma",   "ib_",
					   "iommu", "dmar",       "vfio",   "nvidia",
					   "nvrm",  "pcie",       "killed", "memory"};
	const char *seconds = line[0] == '[' ? line + 1 + strspn(line + 1, " ") : "";
	size_t digits = strspn(seconds, DIGITS);

	/* UCX prints the seconds since 1970. */
	if ((digits == 0 || digits > 8 || seconds[digits] != '.') && !strstr(line, " kernel: "))
		return false;
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
		if (strstr(line, ours[i]))
			return false;
	}
	return true;
}

bool failure_elsewhere(const char *line)
{
	const char *level = strncmp(line, "[rank", 5) == 0 ? strstr(line, "]:[") : NULL;

	level = level ? level + 3 : line + (line[0] == '[');
	return ((*level == 'w' || *level == 'i') && strspn(level + 1, DIGITS) == 4 &&
		level[5] == ' ') ||
	       is_of_another_driver(line);
}

bool failure_is_exception(const char *line)
{
	static const char *const ends[] = {"error", "exception", "interrupt", "exit"};
	size_t len = strspn(line, LETTERS DIGITS "._");

	if (line[len] != ':' || !line[len + 1 + strspn(line + len + 1, " ")])
		return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t size = strlen(ends[i]);

		/* One alone is a log's word: "error: …" */
		if (len > size && memcmp(line + len - size, ends[i], size) == 0)
			return true;
	}
	return false;
}
