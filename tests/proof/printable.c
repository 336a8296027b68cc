/* SPDX-License-Identifier: Apache-2.0 */
/* text_make_printable() for all texts of 5 bytes: what goes to a log, a terminal or an error */
#include "core/base/text.c"

#include "tests/proof/any.h"

int main(void)
{
	ANY_TEXT(text, 5);
	char *end = text;

	while (*end)
		end++;
	text_make_printable(text);
	prove(*end == '\0', "the text keeps its length");
	for (const char *at = text; at < end;) {
		size_t len = text_printable_length(at);

		prove(len, "what is left can be printed");
		prove(at + len <= end, "no character reaches over the end");
		prove((unsigned char)*at >= 0x20 && *at != 0x7f, "no control character");
		prove((unsigned char)at[0] != 0xc2 || (unsigned char)at[1] >= 0xa0,
		      "no control character of two bytes");
		at += len ? len : 1;
	}
	return 0;
}
