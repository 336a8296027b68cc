/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/check/acs.h"

#include <linux/pci_regs.h>

/* No list is longer: each capability takes eight bytes at least. */
#define CAPABILITIES_MAX ((ACS_CONFIG_SIZE - PCI_CFG_SPACE_SIZE) / 8)

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static uint32_t get32(const uint8_t *at)
{
	return get16(at) | (uint32_t)get16(at + 2) << 16;
}

enum acs_state acs_read(const uint8_t *config, size_t len, uint16_t *ret_control)
{
	size_t at = PCI_CFG_SPACE_SIZE;

	*ret_control = 0;
	if (len < PCI_CFG_SPACE_SIZE + 4)
		return ACS_UNREADABLE;
	for (int i = 0; i < CAPABILITIES_MAX; i++) {
		uint32_t header;

		if (at < PCI_CFG_SPACE_SIZE || at + 8 > len)
			return ACS_NONE;
		header = get32(config + at);
		if (PCI_EXT_CAP_ID(header) == PCI_EXT_CAP_ID_ACS) {
			*ret_control = get16(config + at + PCI_ACS_CTRL);
			return *ret_control & (PCI_ACS_RR | PCI_ACS_CR) ? ACS_REDIRECT : ACS_DIRECT;
		}
		at = PCI_EXT_CAP_NEXT(header);
	}
	return ACS_NONE;
}
