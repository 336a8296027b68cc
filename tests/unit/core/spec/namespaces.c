/* SPDX-License-Identifier: Apache-2.0 */
/* Namespaces, user and group mappings, mounts and the root */
#include "suite.h"

static const struct namespace_case {
	const char *name;
	const char *namespaces;
	bool user;
	bool network;
} namespace_cases[] = {
	{"namespaces: none", "[]", false, false},
	{"namespaces: null", "null", false, false},
	{"namespaces: others", "[{\"type\":\"pid\"},{\"type\":\"mount\"}]", false, false},
	{"namespaces: user", "[{\"type\":\"pid\"},{\"type\":\"user\"},{\"type\":\"ipc\"}]", true,
	 false},
	{"namespaces: user, joined", "[{\"type\":\"user\",\"path\":\"/run/userns\"}]", true, false},
	{"namespaces: network", "[{\"type\":\"network\",\"path\":\"/run/netns/x\"}]", false, true},
	{"namespaces: a longer name is another", "[{\"type\":\"users\"},{\"type\":\"networks\"}]",
	 false, false},
};

UNIT_ROWS(namespace_cases)
{
	cleanup_arena arena = {0};
	struct spec spec;

	must_parse(&arena, arena_printf(&arena, "{\"linux\":{\"namespaces\":%s}}", row->namespaces),
		   &spec);
	assert_int_equal(spec.user_namespace, row->user);
	assert_int_equal(spec.network_namespace, row->network);
}

UNIT_TEST("mappings: every entry, what is not said is 0")
{
	cleanup_arena arena = {0};
	struct spec spec;

	must_parse(&arena,
		   "{\"linux\":{\"uidMappings\":["
		   "{\"containerID\":0,\"hostID\":100000,\"size\":1000},"
		   "{\"size\":4294967295,\"hostID\":4294967294,\"containerID\":1000}],"
		   "\"gidMappings\":[{\"hostID\":7}]}}",
		   &spec);
	assert_int_equal(spec.n_uid_map, 2);
	assert_int_equal(spec.uid_map[0].container, 0);
	assert_int_equal(spec.uid_map[0].host, 100000);
	assert_int_equal(spec.uid_map[0].size, 1000);
	assert_int_equal(spec.uid_map[1].container, 1000);
	assert_int_equal(spec.uid_map[1].host, 4294967294);
	assert_int_equal(spec.uid_map[1].size, 4294967295);
	assert_int_equal(spec.n_gid_map, 1);
	assert_int_equal(spec.gid_map[0].container, 0);
	assert_int_equal(spec.gid_map[0].host, 7);
	assert_int_equal(spec.gid_map[0].size, 0);
}

static const struct host_id_case {
	const char *name;
	uint64_t id;
	bool found;
	uint64_t host;
} host_id_cases[] = {
	{"mapping: the first id", 0, true, 100000},
	{"mapping: the last of the first entry", 999, true, 100999},
	{"mapping: a hole", 1000, false, 0},
	{"mapping: the first of the second entry", 2000, true, 5},
	{"mapping: the last of the second entry", 2001, true, 6},
	{"mapping: behind the last entry", 2002, false, 0},
	{"mapping: far behind", UINT64_MAX, true, 77},
	{"mapping: an entry of size 0 maps nothing", 3000, false, 0},
};

UNIT_ROWS(host_id_cases)
{
	static const struct spec_mapping map[] = {
		{0, 100000, 1000}, {2000, 5, 2}, {3000, 9, 0}, {UINT64_MAX, 77, 1}};
	uint64_t host = 0;

	assert_int_equal(spec_host_id(map, LENGTH(map), row->id, &host), row->found);
	assert_true(host == row->host);
	assert_false(spec_host_id(NULL, 0, row->id, &host));
}

UNIT_TEST("mounts and root are read")
{
	cleanup_arena arena = {0};
	struct spec spec;

	must_parse(
		&arena,
		"{\"root\":{\"path\":\"/merged\",\"readonly\":true},\"mounts\":["
		"{\"destination\":\"/proc\",\"type\":\"proc\",\"source\":\"proc\"},"
		"{\"source\":\"x\"},{\"destination\":\"/etc/nccl.conf\",\"options\":[\"bind\"]}]}",
		&spec);
	assert_string_equal(spec.root, "/merged");
	assert_int_equal(spec.n_mounts, 2);
	assert_string_equal(spec.mounts[0], "/proc");
	assert_string_equal(spec.mounts[1], "/etc/nccl.conf");
}
