/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/base/text.h"

int warnings_add(struct arena *arena, struct warnings *warnings, const char *code,
		 const char *format, ...)
{
	struct warning *added;
	char message[512];
	char *copy;
	va_list args;

	if (warnings->n == WARNINGS_MAX)
		return 0;
	va_start(args, format);
	(void)vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	text_make_printable(message);
	copy = arena_strdup(arena, message);
	added = copy ? arena_push(arena, warnings->item, warnings->n, warnings->room) : NULL;
	if (!added)
		return -1;
	*added = (struct warning){.code = code, .message = copy};
	return 0;
}
