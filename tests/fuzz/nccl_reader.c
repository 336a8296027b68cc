/* SPDX-License-Identifier: Apache-2.0 */
#include "nccl_reader.h"

#include <stdlib.h>
#include <string.h>

#define LINE_NEW 4095
#define KEPT 1023
#define LIST_MAX 32
#define NAME_KEPT 63

/* What one read of a line returns: getline(3), or fgets(3) with a buffer of 4096; without its
 * newline, and up to a NUL. *at: behind it */
static size_t read_line(const char *file, size_t len, enum nccl_version version, size_t *at)
{
	const char *begin = file + *at;
	const char *newline = memchr(begin, '\n', len - *at);
	size_t size = newline ? (size_t)(newline - begin) + 1 : len - *at;

	if (version == NCCL_NEW && size > LINE_NEW)
		size = LINE_NEW;
	*at += size;
	size = strnlen(begin, size);
	if (size && begin[size - 1] == '\n')
		size--;
	if (version == NCCL_NEW && size && begin[size - 1] == '\r')
		size--;
	return size;
}

static void keep(char *to, const char *from, size_t len)
{
	len = len > KEPT ? KEPT : len;
	memcpy(to, from, len);
	to[len] = '\0';
}

bool nccl_next_variable(const char *file, size_t len, enum nccl_version version, size_t *at,
			char *name, char *value)
{
	while (*at < len) {
		const char *line = file + *at;
		size_t size = read_line(file, len, version, at);
		const char *equals = memchr(line, '=', size);

		if (!equals || (version == NCCL_NEW && line[0] == '#'))
			continue;
		keep(name, line, (size_t)(equals - line));
		keep(value, equals + 1, size - (size_t)(equals + 1 - line));
		return true;
	}
	return false;
}

bool nccl_file_value(const char *file, size_t len, enum nccl_version version, const char *name,
		     char *value)
{
	char found[KEPT + 1];

	for (size_t at = 0; nccl_next_variable(file, len, version, &at, found, value);) {
		if (strcmp(found, name) == 0)
			return true;
	}
	return false;
}

/* item: "name", or "name:port" */
static bool matches(const char *item, size_t len, bool exact, const char *device, int port)
{
	size_t name_len = strcspn(item, ":,");
	int wanted = -1;
	char name[NAME_KEPT + 1];

	if (name_len > len)
		name_len = len;
	if (name_len < len && item[name_len] == ':')
		wanted = atoi(item + name_len + 1);
	name_len = name_len > NAME_KEPT ? NAME_KEPT : name_len;
	memcpy(name, item, name_len);
	name[name_len] = '\0';
	if (exact ? strcmp(name, device) != 0 : strncmp(name, device, name_len) != 0)
		return false;
	return port == -1 || wanted == -1 || port == wanted;
}

bool nccl_selects(const char *list, const char *device, int port)
{
	bool inverted = list[0] == '^';
	bool found = false;
	bool exact;
	int n = 0;

	list += inverted;
	exact = list[0] == '=';
	list += exact;
	while (*list && n < LIST_MAX) {
		size_t len = strcspn(list, ",");

		if (len && list[0] != ':') {
			found = found || matches(list, len, exact, device, port);
			n++;
		}
		list += len + (list[len] == ',');
	}
	return n == 0 ? !inverted : found != inverted;
}
