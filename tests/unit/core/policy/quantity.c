/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "core/policy/policy.h"

#define KI UINT64_C(1024)

static const struct good_case {
	const char *name;
	const char *text;
	uint64_t bytes;
} good_cases[] = {
	{"quantity: unlimited", "unlimited", MEMLOCK_UNLIMITED},
	{"quantity: bytes", "8388608", 8388608},
	{"quantity: one byte", "1", 1},
	{"quantity: 0s in front", "007", 7},
	{"quantity: 1Ki", "1Ki", KI},
	{"quantity: 3Mi", "3Mi", 3 * KI *KI},
	{"quantity: 64Gi", "64Gi", 64 * KI *KI *KI},
	{"quantity: 1Ti", "1Ti", KI *KI *KI *KI},
	{"quantity: 1Pi", "1Pi", KI *KI *KI *KI *KI},
	{"quantity: 15Ei", "15Ei", 15 * KI *KI *KI *KI *KI *KI},
	{"quantity: 1k is 1000", "1k", 1000},
	{"quantity: 2M", "2M", 2000000},
	{"quantity: 2G", "2G", 2000000000},
	{"quantity: 2T", "2T", UINT64_C(2000000000000)},
	{"quantity: 2P", "2P", UINT64_C(2000000000000000)},
	{"quantity: 18E", "18E", UINT64_C(18000000000000000000)},
	{"quantity: 9Gi", "9Gi", 9 * KI *KI *KI},
	{"quantity: 2^64-2 bytes", "18446744073709551614", UINT64_MAX - 1},
};

UNIT_ROWS(good_cases)
{
	struct err err = {0};
	uint64_t bytes = 0;

	assert_int_equal(quantity_parse(row->text, &bytes, &err), 0);
	assert_true(bytes == row->bytes);
}

static const struct bad_case {
	const char *name;
	const char *text;
	const char *reason;
} bad_cases[] = {
	{"quantity: nothing is refused", "", "is not an amount of memory"},
	{"quantity: 0 is refused", "0", "0 would leave no memory"},
	{"quantity: 0Gi is refused", "0Gi", "0 would leave no memory"},
	{"quantity: 2^64-1 is refused: it says unlimited", "18446744073709551615", "2^64-2"},
	{"quantity: 2^64 is refused", "18446744073709551616", "2^64-2"},
	{"quantity: 16Ei is refused", "16Ei", "2^64-2"},
	{"quantity: 19E is refused", "19E", "2^64-2"},
	{"quantity: 40 digits are refused", "1234567890123456789012345678901234567890", "2^64-2"},
	{"quantity: a product beyond 64 bits is refused", "18446744073709551Ki", "2^64-2"},
	{"quantity: a minus is refused", "-1", "is not an amount of memory"},
	{"quantity: space in front is refused", " 1", "is not an amount of memory"},
	{"quantity: space behind is refused", "1 ", "unknown unit"},
	{"quantity: fraction is refused", "1.5Gi", "unknown unit"},
	{"quantity: ki is none", "1ki", "unknown unit"},
	{"quantity: K is none", "1K", "unknown unit"},
	{"quantity: GiB is none", "1GiB", "unknown unit"},
	{"quantity: m (milli) is none", "1m", "unknown unit"},
	{"quantity: i alone is none", "1i", "unknown unit"},
	{"quantity: Unlimited is refused", "Unlimited", "is not an amount of memory"},
	{"quantity: unlimited with more is refused", "unlimitedX", "is not an amount of memory"},
	{"quantity: a unit alone is refused", "Gi", "is not an amount of memory"},
};

UNIT_ROWS(bad_cases)
{
	struct err err = {0};
	uint64_t bytes = 4711;

	assert_int_equal(quantity_parse(row->text, &bytes, &err), -1);
	assert_has(err.text, row->reason);
	assert_one_line(&err);
	assert_true(bytes == 4711);
}

int main(void)
{
	return unit_main("quantity");
}
