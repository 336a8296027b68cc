/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/text.h"
#include "doctor/report/html.h"

/* XML 1.0, production 2, has none of U+FFFE and U+FFFF; HTML none of the others ("noncharacter").
 */
static bool is_noncharacter(uint32_t c)
{
	return (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);
}

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

/* The character at text, which is printable UTF-8 */
static uint32_t decode(const unsigned char *text, size_t len)
{
	uint32_t c = len == 1 ? text[0] : text[0] & (0xffU >> (len + 1));

	for (size_t i = 1; i < len; i++)
		c = c << 6 | (text[i] & 0x3f);
	return c;
}

void markup_put(FILE *out, const char *text)
{
	size_t len;

	for (const unsigned char *at = (const unsigned char *)text; *at; at += len) {
		const char *entity = entity_of(*at);
		uint32_t c;

		len = text_printable_length((const char *)at);
		c = len ? decode(at, len) : 0;
		if (entity)
			(void)fputs(entity, out);
		else if (!len || is_noncharacter(c))
			(void)fputc('?', out);
		else
			(void)fwrite(at, 1, len, out);
		len = len ? len : 1;
	}
}
