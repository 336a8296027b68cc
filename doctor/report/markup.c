/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/report/markup.h"

#include <stddef.h>

#include "core/base/text.h"

static const char *entity_of(unsigned char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void markup_put(FILE *out, const char *text)
{
	size_t len;

	for (const unsigned char *at = (const unsigned char *)text; *at; at += len) {
		const char *entity = entity_of(*at);

		len = text_printable_length((const char *)at);
		if (entity)
			fputs(entity, out);
		else if (!len)
			fputc('?', out);
		else
			(void)fwrite(at, 1, len, out);
		len = len ? len : 1;
	}
}
