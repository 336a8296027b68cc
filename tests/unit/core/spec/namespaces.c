/* SPDX-License-Identifier: Apache-2.0 */
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
