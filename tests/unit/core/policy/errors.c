/* SPDX-License-Identifier: Apache-2.0 */
/* The whole error behind the file's name */
#include "suite.h"

static const struct bad_case {
	const char *name;
	const char *text;
	const char *error;
} bad_cases[] = {
	{"wrong: unknown key", "{\n\n\"optn\":\"device\"}",
	 "line 3: optn: unknown key; known here: "},
	{"wrong: unknown key in nccl", "{\"nccl\":{\n\"hcas\":true}}",
	 "line 2: nccl.hcas: unknown key; did you mean hca?"},
	{"wrong: key in another case", "{\"Opt_in\":\"device\"}",
	 "line 1: Opt_in: unknown key; did you mean opt_in?"},
	{"wrong: key with a swapped pair", "{\"memlcok\":1}",
	 "line 1: memlcok: unknown key; did you mean memlock?"},
	{"wrong: key with two letters too many", "{\"nccl\":{\"hacca\":true}}",
	 "line 1: nccl.hacca: unknown key; known here: "},
	{"wrong: key with a pair and a letter wrong", "{\"emmlok\":1}",
	 "line 1: emmlok: unknown key; known here: "},
	{"wrong: key twice", "{\"memlock\":\"1Gi\",\n\"memlock\":\"2Gi\"}",
	 "line 2: memlock: occurs twice"},
	{"wrong: key twice in nccl", "{\"nccl\":{\"hca\":true,\"hca\":false}}",
	 "line 1: nccl.hca: occurs twice"},
	{"wrong: key with a NUL behind a known one", "{\"opt_in\\u0000x\":\"device\"}", "line 1: "},
	{"wrong: no object", "[]", "line 1: expected an object, found an array"},
	{"wrong: empty file", "", "is empty"},
	{"wrong: text behind it", "{}\n{}", "line 2: parse error: trailing garbage"},

	{"wrong: opt_in", "{\n\"opt_in\":\"always\"}", "line 2: opt_in: 'always' is not one of"},
	{"wrong: opt_in of a type", "{\"opt_in\":true}", "line 1: opt_in: expected"},
	{"wrong: namespaces, a string", "{\"namespaces\":\"*\"}", "line 1: namespaces: expected"},
	{"wrong: namespaces, a number in it", "{\"namespaces\":[\"a\",\n1]}",
	 "line 2: namespaces[1]: expected"},
	{"wrong: namespaces, '*' in the middle", "{\"namespaces\":[\"a*b\"]}",
	 "line 1: namespaces[0]: 'a*b' is neither"},
	{"wrong: namespaces, two '*'", "{\"namespaces\":[\"a**\"]}",
	 "line 1: namespaces[0]: 'a**' is neither"},
	{"wrong: namespaces, empty", "{\"namespaces\":[\"a\",\"\"]}",
	 "line 1: namespaces[1]: '' is neither"},
	{"wrong: namespaces, a capital letter", "{\"namespaces\":[\"Team-a\"]}",
	 "line 1: namespaces[0]: 'Team-a' is neither"},
	{"wrong: namespaces, a line break", "{\"namespaces\":[\"a\\nb\"]}",
	 "line 1: namespaces[0]: 'a?b' is neither"},
	{"wrong: devices, an unknown one", "{\"devices\":[\"verbs\",\n\"vdpa\"]}",
	 "line 2: devices[1]: 'vdpa' is not one of verbs, vfio"},
	{"wrong: devices, a text", "{\"devices\":\"vfio\"}", "line 1: devices: expected"},
	{"wrong: devices without verbs", "{\"devices\":[\"vfio\"]}",
	 "line 1: devices: must contain \"verbs\""},
	{"wrong: devices, none", "{\"devices\":[]}", "line 1: devices: must contain \"verbs\""},
	{"wrong: memlock, a unit", "{\n\n\"memlock\":\"1GB\"}",
	 "line 3: memlock: '1GB' has an unknown unit"},
	{"wrong: memlock, a fraction", "{\"memlock\":1.5}",
	 "line 1: memlock: '1.5' has an unknown"},
	{"wrong: memlock null", "{\"memlock\":null}", "line 1: memlock: expected"},
	{"wrong: memlock with a NUL", "{\"memlock\":\"1\\u0000Gi\"}",
	 "line 1: memlock: contains a NUL"},
	{"wrong: require_memory_limit, a string", "{\"require_memory_limit\":\"true\"}",
	 "line 1: require_memory_limit: expected"},
	{"wrong: capabilities, an unknown one", "{\"capabilities\":[\"CAP_CHOWN\",\n\"CAP_RDMA\"]}",
	 "line 2: capabilities[1]: 'CAP_RDMA' is not a capability"},
	{"wrong: capabilities, a number", "{\"capabilities\":[14]}",
	 "line 1: capabilities[0]: expected"},
	{"wrong: nccl false", "{\"nccl\":false}", "line 1: nccl: expected"},
	{"wrong: nccl.hca, a number", "{\"nccl\":{\"hca\":1}}", "line 1: nccl.hca: expected"},
	{"wrong: nccl.socket_ifname, a list", "{\"nccl\":{\"socket_ifname\":[\"eth0\"]}}",
	 "line 1: nccl.socket_ifname: expected"},
	{"wrong: nccl.socket_ifname, empty", "{\"nccl\":{\"socket_ifname\":\"\"}}",
	 "line 1: nccl.socket_ifname: empty"},
	{"wrong: nccl.socket_ifname, a line break", "{\"nccl\":{\"socket_ifname\":\"a\\nB=c\"}}",
	 "line 1: nccl.socket_ifname: contains a line break"},
	{"wrong: nccl.gid_index, another word", "{\"nccl\":{\n\"gid_index\":\"3\"}}",
	 "line 2: nccl.gid_index: '3' is not one of"},
	{"wrong: nccl.gid_index 256", "{\"nccl\":{\"gid_index\":256}}",
	 "line 1: nccl.gid_index: a GID index is at most 255"},
	{"wrong: nccl.gid_index -1", "{\"nccl\":{\"gid_index\":-1}}",
	 "line 1: nccl.gid_index: -1 is not an integer from 0"},
	{"wrong: nccl.gdr_level, another word", "{\"nccl\":{\"gdr_level\":\"sys\"}}",
	 "line 1: nccl.gdr_level: 'sys' is not one of LOC, PIX, PXB, PXN, P2C, PHB, SYS"},
	{"wrong: nccl.gdr_level 6", "{\"nccl\":{\"gdr_level\":6}}",
	 "line 1: nccl.gdr_level: a number must be from 0 to 5"},
	{"wrong: nccl.gdr_level 1.5", "{\"nccl\":{\"gdr_level\":1.5}}",
	 "line 1: nccl.gdr_level: a number must be from 0 to 5"},
	{"wrong: nccl.extra, a number", "{\"nccl\":{\"extra\":{\n\"NCCL_IB_TC\":106}}}",
	 "line 2: nccl.extra.NCCL_IB_TC: expected"},
	{"wrong: nccl.extra, a name with '='", "{\"nccl\":{\"extra\":{\"A=B\":\"1\"}}}",
	 "line 1: nccl.extra.A=B: a variable\'s name"},
	{"wrong: nccl.extra, a name in lower case", "{\"nccl\":{\"extra\":{\"a\":\"1\"}}}",
	 "line 1: nccl.extra.a: a variable's name"},
	{"wrong: nccl.extra, a name with the digit 0 first",
	 "{\"nccl\":{\"extra\":{\"0A\":\"1\"}}}", "line 1: nccl.extra.0A: a variable\'s name"},
	{"wrong: nccl.extra, a name with the digit 9 first",
	 "{\"nccl\":{\"extra\":{\"9A\":\"1\"}}}", "line 1: nccl.extra.9A: a variable\'s name"},
	{"wrong: nccl.extra, a digit as a name", "{\"nccl\":{\"extra\":{\"1\":\"1\"}}}",
	 "line 1: nccl.extra.1: a variable\'s name"},
	{"wrong: nccl.extra, an empty name", "{\"nccl\":{\"extra\":{\"\":\"1\"}}}",
	 "a variable's name"},
	{"wrong: nccl.extra, a name with a NUL", "{\"nccl\":{\"extra\":{\"A\\u0000B\":\"1\"}}}",
	 "line 1: nccl.extra.A"},
	{"wrong: nccl.extra, an empty value", "{\"nccl\":{\"extra\":{\"A\":\"\"}}}",
	 "line 1: nccl.extra.A: empty"},
	{"wrong: nccl.extra, a value with a line break",
	 "{\"nccl\":{\"extra\":{\"A\":\"1\\nNCCL_NET=Socket\"}}}",
	 "line 1: nccl.extra.A: contains a line break"},
	{"wrong: nccl.extra, a name twice",
	 "{\"nccl\":{\"extra\":{\"A\":\"1\",\n\"B\":\"1\",\n\"A\":\"2\"}}}",
	 "line 3: nccl.extra.A: occurs twice"},
	{"wrong: nccl.extra sets what nccl.hca sets",
	 "{\n\"nccl\":{\n\"extra\":{\"NCCL_IB_HCA\":\"=x\"}}}",
	 "line 3: nccl.extra.NCCL_IB_HCA: already set by nccl.hca"},
	{"wrong: nccl.extra sets what nccl.socket_ifname sets",
	 "{\"nccl\":{\"extra\":{\"NCCL_SOCKET_IFNAME\":\"x\"},\"socket_ifname\":\"y\"}}",
	 "line 1: nccl.extra.NCCL_SOCKET_IFNAME: already set by nccl.socket_ifname"},
	{"wrong: nccl.extra sets what nccl.gid_index sets",
	 "{\"nccl\":{\"extra\":{\"NCCL_IB_GID_INDEX\":\"3\"},\"gid_index\":3}}",
	 "line 1: nccl.extra.NCCL_IB_GID_INDEX: already set by nccl.gid_index"},
	{"wrong: nccl.extra sets what nccl.gdr_level sets",
	 "{\"nccl\":{\"extra\":{\"NCCL_NET_GDR_LEVEL\":\"3\"},\"gdr_level\":3}}",
	 "line 1: nccl.extra.NCCL_NET_GDR_LEVEL: already set by nccl.gdr_level"},
	{"wrong: nccl.extra has UCX_NET_DEVICES as frameworks has",
	 "{\"frameworks\":{\"ucx\":true},\"nccl\":{\"extra\":{\"UCX_NET_DEVICES\":\"1\"}}}",
	 "line 1: nccl.extra.UCX_NET_DEVICES: already set by frameworks.ucx"},
	{"wrong: nccl.extra has NVSHMEM_HCA_PE_MAPPING as frameworks has",
	 "{\"frameworks\":{\"nvshmem\":true},\"nccl\":{\"extra\":{\"NVSHMEM_HCA_PE_MAPPING\":\"1\"}"
	 "}}",
	 "line 1: nccl.extra.NVSHMEM_HCA_PE_MAPPING: already set by frameworks.nvshmem"},
	{"wrong: nccl.extra has DEEP_EP_DEVICE_TO_HCA_MAPPING as frameworks has",
	 "{\"frameworks\":{\"deepep\":true},\"nccl\":{\"extra\":{\"DEEP_EP_DEVICE_TO_HCA_MAPPING\":"
	 "\"1\"}}}",
	 "line 1: nccl.extra.DEEP_EP_DEVICE_TO_HCA_MAPPING: already set by frameworks.deepep"},
	{"wrong: nccl.extra has GLOO_SOCKET_IFNAME as frameworks has",
	 "{\"frameworks\":{\"gloo\":true},\"nccl\":{\"extra\":{\"GLOO_SOCKET_IFNAME\":\"1\"}}}",
	 "line 1: nccl.extra.GLOO_SOCKET_IFNAME: already set by frameworks.gloo"},
	{"wrong: frameworks, an unknown key", "{\"frameworks\":{\"mpi\":true}}",
	 "line 1: frameworks.mpi: unknown key; known here: "},
	{"wrong: frameworks.ucx, a string", "{\"frameworks\":{\"ucx\":\"true\"}}",
	 "line 1: frameworks.ucx: expected"},
	{"wrong: frameworks.nvshmem, a number", "{\"frameworks\":{\"nvshmem\":1}}",
	 "line 1: frameworks.nvshmem: expected"},
	{"wrong: frameworks.deepep, a string", "{\"frameworks\":{\"deepep\":\"0\"}}",
	 "line 1: frameworks.deepep: expected"},
	{"wrong: frameworks.gloo null", "{\"frameworks\":{\"gloo\":null}}",
	 "line 1: frameworks.gloo: expected"},
	{"wrong: on_no_device", "{\"on_no_device\":\"TCP\"}",
	 "line 1: on_no_device: 'TCP' is not one of"},
	{"wrong: on_denied", "{\"on_denied\":\"ignore\"}",
	 "line 1: on_denied: 'ignore' is not one of"},
	{"wrong: on_error", "{\"on_error\":\"ignore\"}",
	 "line 1: on_error: 'ignore' is not one of"},
	{"wrong: on_missed", "{\"on_missed\":true}", "line 1: on_missed: expected"},
	{"wrong: privileged_scan, a string", "{\"privileged_scan\":\"no\"}",
	 "line 1: privileged_scan: expected"},
	{"wrong: seccomp", "{\"seccomp\":\"off\"}", "line 1: seccomp: 'off' is not one of"},
};

UNIT_ROWS(bad_cases)
{
	WITH_ARENA;
	struct config config = {.path = "untouched"};
	char error[512];

	snprintf(error, sizeof(error), "%s: %s", FILE_NAME, row->error);
	assert_int_equal(load(&arena, row->text, &config, &err), -1);
	assert_has(err.text, strncmp(row->error, "line", 4) == 0 ? error : row->error);
	assert_has(err.text, FILE_NAME ": ");
	assert_one_line(&err);
	assert_string_equal(config.path, "untouched");
}

/* --check-config prints all, so that you can mend them at once. */
UNIT_TEST("the further errors of a file are known, one for each value")
{
	WITH_ARENA;
	struct config config;
	char many[4096] = "{\"a\":1";

	assert_int_equal(load(&arena,
			      "{\n\"opt_in\":\"x\",\n\"memlok\":1,\n\"meemlock\":1,\n"
			      "\"namespaces\":[7,\"*\"],\n\"memlock\":0,\"on_error\":\"warning\"}",
			      &config, &err),
			 -1);
	assert_has(err.text, "line 3: memlok: unknown key; did you mean memlock?");
	assert_string_equal(
		err.more, FILE_NAME
		": line 4: meemlock: unknown key; did you mean memlock?\n" FILE_NAME
		": line 2: opt_in: 'x' is not one of annotation, device\n" FILE_NAME
		": line 5: namespaces[0]: expected a string, found a number\n" FILE_NAME
		": line 6: memlock: 0 would leave no memory to register; write an amount "
		"above 0\n" FILE_NAME ": line 6: on_error: 'warning' is not one of warn, fail");
	for (int i = 0; i < 40; i++)
		snprintf(many + strlen(many), sizeof(many) - strlen(many), ",\"k%d\":1", i);
	snprintf(many + strlen(many), sizeof(many) - strlen(many), "}");
	assert_int_equal(load(&arena, many, &config, &err), -1);
	assert_has(err.more, "k14");
	assert_null(strstr(err.more, "k15"));
}

/* "extra" may set what no key sets. */
static const struct extra_case {
	const char *name;
	const char *text;
} extra_cases[] = {
	{"extra: NCCL_IB_HCA where nccl.hca is false",
	 "{\"nccl\":{\"hca\":false,\"extra\":{\"NCCL_IB_HCA\":\"=x\"}}}"},
	{"extra: NCCL_SOCKET_IFNAME where nccl.socket_ifname is null",
	 "{\"nccl\":{\"extra\":{\"NCCL_SOCKET_IFNAME\":\"x\"}}}"},
	{"extra: NCCL_IB_GID_INDEX where nccl.gid_index is auto",
	 "{\"nccl\":{\"extra\":{\"NCCL_IB_GID_INDEX\":\"3\"}}}"},
	{"extra: NCCL_NET_GDR_LEVEL where nccl.gdr_level is null",
	 "{\"nccl\":{\"extra\":{\"NCCL_NET_GDR_LEVEL\":\"3\"}}}"},
	{"extra: NCCL_IB_DISABLE", "{\"nccl\":{\"extra\":{\"NCCL_IB_DISABLE\":\"0\"}}}"},
	{"extra: NCCL_IBEXT_DISABLE", "{\"nccl\":{\"extra\":{\"NCCL_IBEXT_DISABLE\":\"0\"}}}"},
};

UNIT_ROWS(extra_cases)
{
	WITH_ARENA;
	struct config config;

	assert_int_equal(load(&arena, row->text, &config, &err), 0);
	assert_int_equal(config.nccl.n_extra, 1);
}

static int load_value(size_t len, const char *before, const char *after)
{
	WITH_ARENA;
	struct config config;
	char *value = arena_alloc(&arena, len + 1);

	assert_non_null(value);
	memset(value, 'x', len);
	if (load(&arena, arena_printf(&arena, "%s%s%s", before, value, after), &config, &err) == 0)
		return 0;
	assert_has(err.text, "longer than 1023 bytes, which is what NCCL reads");
	return -1;
}

UNIT_TEST("extra: values up to what NCCL reads, 1023 bytes")
{
	assert_int_equal(load_value(1023, "{\"nccl\":{\"extra\":{\"A\":\"", "\"}}}"), 0);
	assert_int_equal(load_value(1024, "{\"nccl\":{\"extra\":{\"A\":\"", "\"}}}"), -1);
	assert_int_equal(load_value(1023, "{\"nccl\":{\"socket_ifname\":\"", "\"}}"), 0);
	assert_int_equal(load_value(1024, "{\"nccl\":{\"socket_ifname\":\"", "\"}}"), -1);
}

UNIT_TEST("extra: a long name is taken or refused, never dropped")
{
	/* A name that is too long must fail, not vanish. */
	for (size_t len = 200; len < 1200; len += 50) {
		WITH_ARENA;
		struct config config = {0};
		char *name = arena_alloc(&arena, len + 1);
		int status;

		memset(name, 'A', len);
		status = load(&arena,
			      arena_printf(&arena, "{\"nccl\":{\"extra\":{\"%s\":\"1\"}}}", name),
			      &config, &err);
		assert_true(status < 0 || config.nccl.n_extra == 1);
	}
}
