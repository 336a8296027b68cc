/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ACS_CONFIG_SIZE 4096

enum acs_state {
	ACS_UNREADABLE, /* cut: sysfs shows 64 bytes without CAP_SYS_ADMIN (pci-sysfs.c,
			   pci_read_config) */
	ACS_NONE,
	ACS_DIRECT,   /* peer traffic stays in the switch */
	ACS_REDIRECT, /* requests or completions go via the root */
};

/* *ret_control: PCI_ACS_CTRL (linux/pci_regs.h), if present */
enum acs_state acs_read(const uint8_t *config, size_t len, uint16_t *ret_control);
