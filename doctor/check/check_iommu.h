/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a PCI bridge sends traffic between devices up to the root */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ACS_CONFIG_SIZE 4096 /* PCI Express configuration space */

enum acs_state {
	ACS_UNREADABLE, /* less than the extended space: sysfs shows 64 bytes without
			   CAP_SYS_ADMIN (drivers/pci/pci-sysfs.c, pci_read_config) */
	ACS_NONE,       /* the bridge has no such capability */
	ACS_DIRECT,     /* what goes from one device to another stays in the switch */
	ACS_REDIRECT,   /* requests or completions go up to the root complex */
};

/* config: len bytes of a bridge's configuration space. *ret_control: the ACS control register,
 * where it has one (linux/pci_regs.h, PCI_ACS_CTRL). */
enum acs_state acs_read(const uint8_t *config, size_t len, uint16_t *ret_control);
