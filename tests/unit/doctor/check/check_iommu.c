/* SPDX-License-Identifier: Apache-2.0 */
/* ACS (access control services) of PCI bridges */
#include "doctor/check/check_iommu.h"
#include "tests/unit/unit.h"

/* An extended capability's header (0x0d: ACS), then its first four bytes */
#define ACS(control) LIST(0x0d, 0, 1, 0, 0, 0, control, 0)

static const struct acs_case {
	const char *name;
	size_t len;
	uint8_t first[8];  /* at 0x100 */
	uint8_t second[8]; /* at 0x148 */
	enum acs_state state;
	uint16_t control;
} acs_cases[] = {
	{"256 bytes are not readable", 256, {0}, {0}, ACS_UNREADABLE, 0},
	{"nothing there", 4096, {0}, {0}, ACS_NONE, 0},
	{"source validation alone", 4096, ACS(1), {0}, ACS_DIRECT, 1},
	{"request redirect", 4096, ACS(4), {0}, ACS_REDIRECT, 4},
	{"completion redirect", 4096, ACS(8), {0}, ACS_REDIRECT, 8},
	{"behind another one: SV RR CR UF", 4096, {1, 0, 0x82, 0x14}, ACS(29), ACS_REDIRECT, 29},
	{"behind the end of what is read", 0x108, {1, 0, 0x82, 0x14}, ACS(0), ACS_NONE, 0},
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
