/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/policy/policy.h"
#include "lib/files.h"

#define LIMITS_MAX (64 * 1024)
#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)

static uint64_t parse_limit(const char **at)
{
	char *end;
	uint64_t bytes;

	*at += strspn(*at, " ");
	if (text_starts_with(*at, "unlimited")) {
		*at += strlen("unlimited");
		return MEMLOCK_UNLIMITED;
	}
	bytes = strtoull(*at, &end, 10);
	*at = end;
	return bytes;
}

struct limits limits_parse(char *text)
{
	static const char name[] = "Max locked memory";
	struct limits limits = {0};
	char *line;

	while ((line = strsep(&text, "\n"))) {
		const char *at = line + strlen(name);

		if (!text_starts_with(line, name))
			continue;
		limits.known = true;
		limits.soft = parse_limit(&at);
		limits.hard = parse_limit(&at);
	}
	return limits;
}

struct limits limits_read(struct arena *arena, int root, const char *path)
{
	struct limits limits = {0};
	struct fs_text text;

	if (tree_read(arena, root, path, LIMITS_MAX, &text) == 0)
		limits = limits_parse(text.bytes);
	limits.where = path;
	return limits;
}

const char *limits_text(uint64_t bytes, char text[LIMITS_TEXT_SIZE])
{
	if (bytes == MEMLOCK_UNLIMITED)
		snprintf(text, LIMITS_TEXT_SIZE, "unlimited");
	else if (bytes && bytes % MIB == 0)
		snprintf(text, LIMITS_TEXT_SIZE, "%" PRIu64 " MiB", bytes / MIB);
	else if (bytes && bytes % KIB == 0)
		snprintf(text, LIMITS_TEXT_SIZE, "%" PRIu64 " KiB", bytes / KIB);
	else
		snprintf(text, LIMITS_TEXT_SIZE, "%" PRIu64 " bytes", bytes);
	return text;
}
