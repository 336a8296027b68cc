/* SPDX-License-Identifier: Apache-2.0 */
/* Protobuf fields, complete and cut */
#include "tests/unit/nri/nri.h"

#include "nri/wire/field.h"

static const struct fields_case {
	const char *name;
	const char *bytes;
	size_t len;
	const char *said; /* each field: its number, and =value or :bytes; then "!" if broken */
} fields_cases[] = {
	{"nothing", "", 0, ""},
	{"a number", "\x08\x01", 2, " 1=1"},
	{"a number of two bytes, the lowest first", "\x08\x96\x01", 3, " 1=150"},
	{"a number with a bit in each byte", "\x18\x81\x82\x84\x88\x10", 6, " 3=4311810305"},
	{"the largest number", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11,
	 " 1=18446744073709551615"},
	{"a number too large", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11, "!"},
	{"a number of eleven bytes", "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 12, "!"},
	{"bytes, and a number",
	 "\x0a\x03"
	 "abc\x10\x05",
	 7, " 1:abc 2=5"},
	{"no bytes", "\x0a\x00", 2, " 1:"},
	{"fixed ones are bytes",
	 "\x09"
	 "12345678"
	 "\x0d"
	 "1234\x10\x01",
	 16, " 1:12345678 1:1234 2=1"},
	{"fixed ones at the end",
	 "\x10\x01\x09"
	 "12345678",
	 11, " 2=1 1:12345678"},
	{"cut in fixed64",
	 "\x09"
	 "1234567",
	 8, "!"},
	{"cut in fixed32",
	 "\x0d"
	 "123",
	 4, "!"},
	{"cut in bytes",
	 "\x10\x01\x0a\x03"
	 "ab",
	 6, " 2=1!"},
	{"cut in a number", "\x08\x80", 2, "!"},
	{"cut in a tag", "\x80", 1, "!"},
	{"cut behind a tag", "\x08", 1, "!"},
	{"cut in a length", "\x0a\x80", 2, "!"},
	{"a length of 2^63", "\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11, "!"},
	{"the largest field", "\xf8\xff\xff\xff\x0f\x01", 6, " 536870911=1"},
	{"a field too large", "\x80\x80\x80\x80\x10\x01", 6, "!"},
	{"field 0", "\x00\x01", 2, "!"},
	{"a group", "\x0b\x0c", 2, "!"},
	{"wire type 7", "\x0f\x01", 2, "!"},
};

UNIT_ROWS(fields_cases)
{
	char *exact = unit_exact(row->bytes, row->len); /* for the sanitizers */
	struct message left = {(const unsigned char *)exact, row->len};
	cleanup_arena arena = {0};
	const char *said = "";
	struct field field;
	int status;

	while ((status = field_next(&left, &field)) > 0)
		said = field.bytes.bytes
			       ? arena_printf(&arena, "%s %u:%.*s", said, field.number,
					      (int)field.bytes.len, (const char *)field.bytes.bytes)
			       : arena_printf(&arena, "%s %u=%llu", said, field.number,
					      (unsigned long long)field.value);
	assert_string_equal(status < 0 ? arena_printf(&arena, "%s!", said) : said, row->said);
	free(exact);
}

int main(void)
{
	return unit_main("fields");
}
