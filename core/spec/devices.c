/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of a container that does not ask by annotation, or that has every device of the host */
#include <string.h>

#include "core/base/text.h"
#include "core/spec/spec.h"

/*
 * The kernel's verbs devices have major 231, from the 33rd on one that is chosen when ib_uverbs is
 * loaded (drivers/infiniband/core/uverbs_main.c), in these ranges (fs/char_dev.c,
 * find_dynamic_major); so have those of vfio (drivers/vfio/group.c, device_cdev.c).
 */
bool spec_device_may_count(const struct spec_device *device)
{
	int64_t major = device->major;

	return device->character &&
	       (major == 231 || (major >= 234 && major <= 254) || (major >= 384 && major <= 511));
}

static bool names_devices(const char *entry)
{
	return text_starts_with(entry, "PCIDEVICE_") ||
	       text_starts_with(entry, "SRIOVNETWORK_VF_DEVICE_");
}

size_t spec_addresses(struct arena *arena, const struct spec *spec,
		      const char *const **ret_addresses)
{
	const char **addresses = NULL;
	size_t room = 0;
	size_t n = 0;

	for (size_t i = 0; i < spec->n_env; i++) {
		const char *value = strchr(spec->env[i], '=');
		char *rest = value && names_devices(spec->env[i]) ? arena_strdup(arena, value + 1)
								  : NULL;
		char *address;

		while (n < SPEC_ADDRESSES_MAX && (address = strsep(&rest, ","))) {
			const char **added;

			if (!text_is_pci_address(address) && !text_is_device_name(address))
				continue;
			added = arena_push(arena, addresses, n, room);
			if (added)
				*added = address;
		}
	}
	*ret_addresses = addresses;
	return n;
}
