/* SPDX-License-Identifier: Apache-2.0 */
/* What a text may do to the page that it is shown on, and the heat map of bandwidths. */
#include "doctor/report/html.h"
#include "doctor/verbs/transfer.h"
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
	static const char *const texts[] = {
		"\x01", "\x1b",         "\n",           "\x7f",         "\xff",
		"\x80", "\xef\xbf\xbe", "\xef\xbf\xbf", "\xef\xb7\x90", "\xf0\x9f\xbf\xbf",
	};

	for (size_t i = 0; i < LENGTH(texts); i++)
		assert_string_equal(escaped(texts[i]), "?");
	/* Of what is never printed, each byte */
	assert_string_equal(escaped("\xc2\x9b"), "??");
	assert_string_equal(escaped("\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8f"), "?????????");
	assert_string_equal(escaped("\xd8\x9c"), "??");
	assert_string_equal(escaped("a\xe2\x80"), "a??");
	assert_string_equal(escaped("\xc0\xbcscript>"), "??script&gt;");
	/* beside them */
	assert_string_equal(escaped("\xef\xbf\xbd\xef\xb7\x8f\xef\xb7\xb0\xe2\x80\xb0"),
			    "\xef\xbf\xbd\xef\xb7\x8f\xef\xb7\xb0\xe2\x80\xb0");
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

/* ---- the heat map ---- */

static int add_pair(struct findings *findings, const char *subject, double bytes_per_second)
{
	struct transfer_result result = {.bytes_per_second = bytes_per_second, .bytes = 1 << 20};
	char text[TRANSFER_TEXT_SIZE];

	return bytes_per_second > 0
		       ? findings_add(findings, "verbs_pair", subject, FINDING_OK, NULL,
				      "%s; data verified", transfer_result_text(&result, text))
		       : findings_add(findings, "verbs_pair", subject, FINDING_FAIL, NULL,
				      "IBV_WC_RETRY_EXC_ERR <b>");
}

static const char *heat(const struct findings *findings)
{
	static char page[PAGE_MAX];
	FILE *out = fmemopen(page, sizeof(page), "w");

	memset(page, 0, sizeof(page));
	assert_non_null(out);
	assert_int_equal(pairs_print(out, findings), 0);
	(void)fclose(out);
	return page;
}

UNIT_TEST("page: the heat map")
{
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};
	const char *page;

	assert_string_equal(heat(&findings), "");
	assert_int_equal(findings_add(&findings, "verbs_loopback", "a -> b", FINDING_OK, NULL, "x"),
			 0);
	assert_string_equal(heat(&findings), "");
	assert_int_equal(add_pair(&findings, "mlx5_6 -> mlx5_10", 49e9), 0);
	assert_int_equal(add_pair(&findings, "mlx5_10 -> mlx5_6", 11e9), 0);
	assert_int_equal(add_pair(&findings, "mlx5_6 -> <i>", 0), 0);
	page = heat(&findings);
	assert_has(page, "<td class=\"heat4\" title=\"49 GB/s (392 Gb/s), ");
	assert_has(page, ">392.0</td>");
	assert_has(page, "<td class=\"heat1\" title=\"11 GB/s (88 Gb/s), ");
	assert_has(page, ">88.0</td>");
	assert_has(page, "<td class=\"bad\" title=\"IBV_WC_RETRY_EXC_ERR &lt;b&gt;\">fail</td>");
	assert_has(page, "<th scope=\"row\">&lt;i&gt;</th>");
	assert_null(strstr(page, "<i>"));
	/* itself, and what was not tried */
	assert_has(page, "<td>-</td>");
}

int main(void)
{
	return unit_main("page");
}
