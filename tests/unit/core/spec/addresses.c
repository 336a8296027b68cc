/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses from device plugins' variables, for a container with every device */
#include "suite.h"

static const struct address_case {
	const char *name;
	const char *env[4];
	const char *addresses; /* separated by blanks */
} address_cases[] = {
	{"addresses: none", {"PATH=/bin", "XPCIDEVICE_A=0000:3b:02.6"}, ""},
	{"addresses: a list, as it stands",
	 {"PCIDEVICE_X=0000:5d:00.3,0000:3b:02.6"},
	 "0000:5d:00.3 0000:3b:02.6"},
	{"addresses: an auxiliary device", {"PCIDEVICE_SF=mlx5_core.sf.4"}, "mlx5_core.sf.4"},
	{"addresses: dra-driver-sriov's devices, and no part of theirs",
	 {"SRIOVNETWORK_VF_DEVICE_a=0000:3b:02.6", "SRIOVNETWORK_a_RDMA_DEVICE=mlx5_6"},
	 "0000:3b:02.6"},
	{"addresses: of each variable, in the environment's order",
	 {"PCIDEVICE_Y=0000:5d:00.3", "PCIDEVICE_X=0000:3b:02.6"},
	 "0000:5d:00.3 0000:3b:02.6"},
	{"addresses: no JSON, no path, no empty entry",
	 {"PCIDEVICE_X_INFO={\"0000:3b:02.6\":{\"a\":1,\"b\":2}}",
	  "PCIDEVICE_X=,../../sda,0000:3b:02.6,"},
	 "0000:3b:02.6"},
	{"addresses: no value", {"PCIDEVICE_X", "PCIDEVICE_Y="}, ""},
};

UNIT_ROWS(address_cases)
{
	WITH_ARENA;
	struct spec spec = {.env = (const char **)row->env};
	const char *const *addresses;
	const char *found = "";
	size_t n;

	while (spec.n_env < LENGTH(row->env) && row->env[spec.n_env])
		spec.n_env++;
	n = spec_addresses(&arena, &spec, &addresses);
	for (size_t i = 0; i < n; i++)
		found = arena_printf(&arena, "%s%s%s", found, i ? " " : "", addresses[i]);
	assert_string_equal(found, row->addresses);
}

UNIT_TEST("addresses: no more than SPEC_ADDRESSES_MAX")
{
	static char list[2 * (SPEC_ADDRESSES_MAX + 9)];
	WITH_ARENA;
	const char *entry;
	struct spec spec = {.env = &entry, .n_env = 1};
	const char *const *addresses;

	for (size_t i = 0; i + 1 < sizeof(list); i++)
		list[i] = i % 2 ? ',' : 'x';
	entry = arena_printf(&arena, "PCIDEVICE_X=%s", list);
	assert_int_equal(spec_addresses(&arena, &spec, &addresses), SPEC_ADDRESSES_MAX);
}
