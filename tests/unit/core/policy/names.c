/* SPDX-License-Identifier: Apache-2.0 */
/* Allowed namespaces, and names of capabilities */
#include "suite.h"

#include "core/base/text.h"

static const struct namespace_case {
	const char *name;
	const char *patterns[4];
	const char *pod_namespace; /* NULL: not known */
	bool allowed;
} namespace_cases[] = {
	{"namespace: '*' allows every one", {"*"}, "team-a", true},
	{"namespace: '*' allows an unknown one", {"*"}, NULL, true},
	{"namespace: none allows none", {NULL}, "team-a", false},
	{"namespace: none allows no unknown one", {NULL}, NULL, false},
	{"namespace: exact", {"team-a"}, "team-a", true},
	{"namespace: exact is not a prefix", {"team-a"}, "team-ab", false},
	{"namespace: exact does not allow an unknown one", {"team-a"}, NULL, false},
	{"namespace: prefix", {"team-*"}, "team-a", true},
	{"namespace: prefix is not inside", {"team-*"}, "my-team-a", false},
	{"namespace: prefix is not cut", {"team-*"}, "team", false},
	{"namespace: prefix does not allow an unknown one", {"team-*"}, NULL, false},
	{"namespace: one of several", {"a", "b-*", "c"}, "c", true},
	{"namespace: the prefix among several", {"a", "b-*", "c"}, "b-1", true},
	{"namespace: '*' behind others", {"a", "*"}, NULL, true},
	{"namespace: empty is not exact", {"a"}, "", false},
};

UNIT_ROWS(namespace_cases)
{
	struct config config = {0};

	config.namespaces = row->patterns;
	while (config.n_namespaces < LENGTH(row->patterns) && row->patterns[config.n_namespaces])
		config.n_namespaces++;
	assert_int_equal(config_allows_namespace(&config, row->pod_namespace), row->allowed);
}

/* ---- capabilities ---- */

UNIT_TEST("capabilities: the names of the OCI specification, no others")
{
	cleanup_arena arena = {0};
	const char *const *names;

	assert_int_equal(capability_number("CAP_IPC_LOCK"), 14);
	assert_int_equal(capability_number("CAP_CHOWN"), 0);
	assert_int_equal(capability_number("CAP_SYS_RESOURCE"), 24);
	assert_int_equal(capability_number("cap_ipc_lock"), -1);
	assert_int_equal(capability_number("CAP_ipc_lock"), -1);
	assert_int_equal(capability_number("IPC_LOCK"), -1);
	assert_int_equal(capability_number("14"), -1);
	assert_int_equal(capability_number("CAP_"), -1);
	assert_int_equal(capability_number("CAP_14"), -1);
	assert_int_equal(capability_number("CAP_IPC_LOCK "), -1);
	assert_int_equal(capability_number(""), -1);
	names = capability_names(&arena, UINT64_C(1) << 14 | 1);
	assert_string_equal(names[0], "CAP_CHOWN");
	assert_string_equal(names[1], "CAP_IPC_LOCK");
	assert_null(names[2]);
	assert_null(capability_names(&arena, 0)[0]);
	names = capability_names(&arena, UINT64_MAX);
	for (int i = 0; i <= 40; i++)
		assert_int_equal(capability_number(names[i]), i);
	assert_null(names[41]);
}
