/* SPDX-License-Identifier: Apache-2.0 */
/* Fields and numbers, as protobuf has them */
#include "tests/unit/nri/nri.h"

#include "nri/wire/wire.h"

static unsigned numbers;
static uint64_t last_number;
static uint32_t last_field;
static size_t parted;

static void on_number(void *context, uint32_t field, uint64_t number)
{
	(void)context;
	last_field = field;
	last_number = number;
	numbers++;
}

static void on_begin(void *context, uint32_t field)
{
	(void)context;
	(void)field;
}

static void on_part(void *context, uint32_t field, const unsigned char *bytes, size_t len)
{
	(void)context;
	(void)field;
	(void)bytes;
	parted += len;
}

static const struct fields_case {
	const char *name;
	const char *bytes;
	size_t len;
	bool whole;
	unsigned numbers;
	size_t parted;
} fields_cases[] = {
	{"fields: nothing", "", 0, true, 0, 0},
	{"fields: a number", "\x08\x01", 2, true, 1, 0},
	{"fields: the largest number", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, true, 1,
	 0},
	{"fields: a number too large", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11, false, 0,
	 0},
	{"fields: a number too large, and more", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x00",
	 12, false, 0, 0},
	{"fields: a number of eleven bytes", "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 12,
	 false, 0, 0},
	{"fields: bytes, and a number",
	 "\x0a\x03"
	 "abc"
	 "\x10\x05",
	 7, true, 1, 3},
	{"fields: no bytes", "\x0a\x00", 2, true, 0, 0},
	{"fields: fixed ones are skipped",
	 "\x09"
	 "12345678"
	 "\x0d"
	 "1234"
	 "\x10\x01",
	 16, true, 1, 0},
	{"fields: cut in bytes",
	 "\x0a\x03"
	 "ab",
	 4, false, 0, 2},
	{"fields: cut in a number", "\x08\x80", 2, false, 0, 0},
	{"fields: cut in a tag", "\x80", 1, false, 0, 0},
	{"fields: cut behind a tag", "\x08", 1, false, 0, 0},
	{"fields: the largest field", "\xf8\xff\xff\xff\x0f\x01", 6, true, 1, 0},
	{"fields: a field too large", "\x80\x80\x80\x80\x10\x01", 6, false, 0, 0},
	{"fields: field 0", "\x00\x01", 2, false, 0, 0},
	{"fields: wire type 7", "\x0f\x01", 2, false, 0, 0},
};

static void fields_are_found(void **state)
{
	static const struct fields_handler counting = {on_number, on_begin, on_part, NULL};
	const struct fields_case *row = *state;

	for (size_t step = 1; step <= 2; step++) {
		struct fields fields = {0};

		numbers = 0;
		parted = 0;
		for (size_t i = 0; i < row->len; i += step)
			fields_read(&fields, (const unsigned char *)row->bytes + i,
				    row->len - i < step ? row->len - i : step, &counting, NULL);
		assert_int_equal(fields_whole(&fields), row->whole);
		assert_int_equal(numbers, row->numbers);
		assert_int_equal(parted, row->parted);
	}
}

static const struct number_case {
	const char *name;
	const char *bytes;
	uint32_t field;
	uint64_t number;
} number_cases[] = {
	{"number: of two bytes, the lowest first", "\x08\x96\x01", 1, 150},
	{"number: the largest", "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 2, UINT64_MAX},
	{"number: with a bit in each byte", "\x18\x81\x82\x84\x88\x10", 3,
	 1 | 2 << 7 | 4 << 14 | 8 << 21 | UINT64_C(16) << 28},
	{"number: of the largest field", "\xf8\xff\xff\xff\x0f\x01", (1 << 29) - 1, 1},
};

static void number_is_read(void **state)
{
	static const struct fields_handler counting = {on_number, on_begin, on_part, NULL};
	const struct number_case *row = *state;
	struct fields fields = {0};

	numbers = 0;
	fields_read(&fields, (const unsigned char *)row->bytes, strlen(row->bytes), &counting,
		    NULL);
	assert_int_equal(numbers, 1);
	assert_int_equal(last_field, row->field);
	assert_true(last_number == row->number);
}

int main(void)
{
	static struct unit_suite suite;

	UNIT_TABLE(&suite, fields_are_found, fields_cases);
	UNIT_TABLE(&suite, number_is_read, number_cases);
	return unit_run(&suite, "fields");
}
