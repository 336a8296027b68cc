/* SPDX-License-Identifier: Apache-2.0 */
/* Access control services of PCI bridges */
#include "doctor/check/check.h"
#include "tests/unit/unit.h"

struct acs_case {
	const char *name;
	size_t len;
	uint8_t first[8];  /* at 0x100 */
	uint8_t second[8]; /* at 0x148 */
	enum acs_state state;
	uint16_t control;
};

static const struct acs_case acs_cases[] = {
	{"64 bytes are not readable", 64, {0}, {0}, ACS_UNREADABLE, 0},
	{"256 bytes are not readable", 256, {0}, {0}, ACS_UNREADABLE, 0},
	{"nothing there", 4096, {0}, {0}, ACS_NONE, 0},
	{"all off", 4096, {0x0d, 0, 1, 0, 0, 0, 0, 0}, {0}, ACS_DIRECT, 0},
	{"source validation alone", 4096, {0x0d, 0, 1, 0, 0, 0, 1, 0}, {0}, ACS_DIRECT, 1},
	{"request redirect", 4096, {0x0d, 0, 1, 0, 0, 0, 4, 0}, {0}, ACS_REDIRECT, 4},
	{"completion redirect", 4096, {0x0d, 0, 1, 0, 0, 0, 8, 0}, {0}, ACS_REDIRECT, 8},
	{"what the firmware sets: SV RR CR UF",
	 4096,
	 {0x0d, 0, 1, 0, 0, 0, 0x1d, 0},
	 {0},
	 ACS_REDIRECT,
	 0x1d},
	{"behind another capability",
	 4096,
	 {0x01, 0, 0x82, 0x14, 0, 0, 0, 0},
	 {0x0d, 0, 1, 0, 0, 0, 0x1d, 0},
	 ACS_REDIRECT,
	 0x1d},
	{"behind the end of what can be read",
	 0x100 + 8,
	 {0x01, 0, 0x82, 0x14},
	 {0x0d},
	 ACS_NONE,
	 0},
	{"a list that goes round", 4096, {0x01, 0, 2, 0x10}, {0}, ACS_NONE, 0},
	{"a list that goes below", 4096, {0x01, 0, 2, 0x04}, {0}, ACS_NONE, 0},
	{"nothing answers", 4096, {255, 255, 255, 255, 255, 255, 255, 255}, {0}, ACS_NONE, 0},
};

UNIT_ROWS_AS("ACS: ", acs_cases)
{
	uint8_t config[ACS_CONFIG_SIZE] = {0};
	cleanup_free *exact = NULL;
	uint16_t control;

	memcpy(config + 0x100, row->first, sizeof(row->first));
	memcpy(config + 0x148, row->second, sizeof(row->second));
	exact = unit_exact((const char *)config, row->len);
	assert_int_equal(acs_read((const uint8_t *)exact, row->len, &control), row->state);
	assert_int_equal(control, row->control);
}

int main(void)
{
	return unit_main("acs");
}
