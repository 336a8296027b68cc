/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile text in an HTML page */
#include "doctor/report/markup.h"
#include "tests/unit/unit.h"

#define PAGE_MAX 8192

static const char *escaped(const char *text)
{
	static char page[PAGE_MAX];
	FILE *out = fmemopen(page, sizeof(page), "w");

	assert_non_null(out);
	markup_put(out, text);
	(void)fclose(out);
	return page;
}

UNIT_TEST("page: markup is text")
{
	assert_string_equal(escaped("<script>&\"'</script>"),
			    "&lt;script&gt;&amp;&quot;&#39;&lt;/script&gt;");
	assert_string_equal(escaped("&amp;"), "&amp;amp;");
	assert_string_equal(escaped("mlx5_6 größe 日本 \xf0\x9f\x98\x80"), "mlx5_6 größe 日本 😀");
}

UNIT_TEST("page: what no document may hold")
{
	static const char *const texts[] = {"\x01", "\x1b", "\n", "\x7f", "\xff", "\x80"};

	for (size_t i = 0; i < LENGTH(texts); i++)
		assert_string_equal(escaped(texts[i]), "?");
	/* Each byte that is never printed */
	assert_string_equal(escaped("\xc2\x9b"), "??");
	assert_string_equal(escaped("\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8f"), "?????????");
	assert_string_equal(escaped("\xd8\x9c"), "??");
	assert_string_equal(escaped("a\xe2\x80"), "a??");
	assert_string_equal(escaped("\xc0\xbcscript>"), "??script&gt;");
}

UNIT_TEST("page: no byte alone is markup, or leaves ASCII")
{
	for (int c = 1; c < 256; c++) {
		const char text[] = {'a', (char)c, 'b', 0};
		const char *page = escaped(text);

		assert_null(strpbrk(page, "<>\"'"));
		for (; *page; page++)
			assert_in_range((unsigned char)*page, 0x20, 0x7e);
	}
}

int main(void)
{
	return unit_main("page");
}
