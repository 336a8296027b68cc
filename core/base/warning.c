/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/warning.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/base/text.h"

int warnings_add(struct arena *arena, struct warnings *warnings, const char *code,
		 const char *format, ...)
{
	struct warning *larger;
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
	larger = arena_grow(arena, warnings->item, warnings->n, &warnings->room, sizeof(*larger));
	if (!copy || !larger)
		return -1;
	larger[warnings->n++] = (struct warning){.code = code, .message = copy};
	warnings->item = larger;
	return 0;
}
