/* SPDX-License-Identifier: Apache-2.0 */
/* What each key changes; the documented file is the defaults. */
#include "suite.h"

static const struct good_case {
	const char *name;
	const char *text;
	const char *key; /* key without its default; NULL: none */
	const char *value;
} good_cases[] = {
	{"config: {} has the defaults", "{}", NULL, NULL},
	{"config: comments", "// why\n{ /* none */ } // at all\n", NULL, NULL},
	{"config: opt_in device", "{\"opt_in\":\"device\"}", "opt_in", "device"},
	{"config: opt_in annotation", "{\"opt_in\":\"annotation\"}", NULL, NULL},
	{"config: namespaces", "{\"namespaces\":[\"team-a\",\"ml-*\"]}", "namespaces",
	 "team-a,ml-*,"},
	{"config: no namespace at all", "{\"namespaces\":[]}", "namespaces", ""},
	{"config: many namespaces",
	 "{\"namespaces\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\",\"j\"]}",
	 "namespaces", "a,b,c,d,e,f,g,h,i,j,"},
	{"config: devices verbs", "{\"devices\":[\"verbs\"]}", NULL, NULL},
	{"config: devices verbs and vfio", "{\"devices\":[\"verbs\",\"vfio\"]}", "devices",
	 "verbs,vfio"},
	{"config: devices in another order", "{\"devices\":[\"vfio\",\"verbs\"]}", "devices",
	 "verbs,vfio"},
	{"config: memlock unlimited", "{\"memlock\":\"unlimited\"}", NULL, NULL},
	{"config: memlock 64Gi", "{\"memlock\":\"64Gi\"}", "memlock", "68719476736"},
	{"config: memlock in bytes, a string", "{\"memlock\":\"8388608\"}", "memlock", "8388608"},
	{"config: memlock in bytes, a number", "{\"memlock\":8388608}", "memlock", "8388608"},
	{"config: require_memory_limit", "{\"require_memory_limit\":true}", "require_memory_limit",
	 "true"},
	{"config: no capabilities", "{\"capabilities\":[]}", "capabilities", ""},
	{"config: two capabilities", "{\"capabilities\":[\"CAP_SYS_RESOURCE\",\"CAP_IPC_LOCK\"]}",
	 "capabilities", "CAP_IPC_LOCK,CAP_SYS_RESOURCE,"},
	{"config: a capability twice is one", "{\"capabilities\":[\"CAP_CHOWN\",\"CAP_CHOWN\"]}",
	 "capabilities", "CAP_CHOWN,"},
	{"config: nccl {} has the defaults", "{\"nccl\":{}}", NULL, NULL},
	{"config: nccl.hca false", "{\"nccl\":{\"hca\":false}}", "nccl.hca", "false"},
	{"config: nccl.socket_ifname rdma", "{\"nccl\":{\"socket_ifname\":\"rdma\"}}",
	 "nccl.socket_ifname", "rdma"},
	{"config: nccl.socket_ifname literal", "{\"nccl\":{\"socket_ifname\":\"=eth0\"}}",
	 "nccl.socket_ifname", "=eth0"},
	{"config: nccl.socket_ifname null", "{\"nccl\":{\"socket_ifname\":null}}", NULL, NULL},
	{"config: nccl.gid_index auto", "{\"nccl\":{\"gid_index\":\"auto\"}}", NULL, NULL},
	{"config: nccl.gid_index legacy", "{\"nccl\":{\"gid_index\":\"legacy\"}}", "nccl.gid_index",
	 "legacy"},
	{"config: nccl.gid_index 0", "{\"nccl\":{\"gid_index\":0}}", "nccl.gid_index", "0"},
	{"config: nccl.gid_index 255", "{\"nccl\":{\"gid_index\":255}}", "nccl.gid_index", "255"},
	{"config: nccl.gdr_level null", "{\"nccl\":{\"gdr_level\":null}}", NULL, NULL},
	{"config: nccl.gdr_level SYS", "{\"nccl\":{\"gdr_level\":\"SYS\"}}", "nccl.gdr_level",
	 "SYS"},
	{"config: nccl.gdr_level 5", "{\"nccl\":{\"gdr_level\":5}}", "nccl.gdr_level", "5"},
	{"config: nccl.gdr_level 0", "{\"nccl\":{\"gdr_level\":0}}", "nccl.gdr_level", "0"},
	{"config: nccl.extra in its order",
	 "{\"nccl\":{\"extra\":{\"NCCL_IB_TC\":\"106\",\"A_1\":\"x = y # z\"}}}", "nccl.extra",
	 "NCCL_IB_TC=106,A_1=x = y # z,"},
	{"config: frameworks {} has the defaults", "{\"frameworks\":{}}", NULL, NULL},
	{"config: frameworks.ucx", "{\"frameworks\":{\"ucx\":true}}", "frameworks.ucx", "true"},
	{"config: frameworks.nvshmem", "{\"frameworks\":{\"nvshmem\":true}}", "frameworks.nvshmem",
	 "true"},
	{"config: frameworks.deepep", "{\"frameworks\":{\"deepep\":true}}", "frameworks.deepep",
	 "true"},
	{"config: frameworks.gloo", "{\"frameworks\":{\"gloo\":true}}", "frameworks.gloo", "true"},
	{"config: on_no_device tcp", "{\"on_no_device\":\"tcp\"}", "on_no_device", "tcp"},
	{"config: on_no_device fail", "{\"on_no_device\":\"fail\"}", "on_no_device", "fail"},
	{"config: on_no_device ignore", "{\"on_no_device\":\"ignore\"}", NULL, NULL},
	{"config: on_denied fail", "{\"on_denied\":\"fail\"}", "on_denied", "fail"},
	{"config: on_denied warn", "{\"on_denied\":\"warn\"}", NULL, NULL},
	{"config: on_error fail", "{\"on_error\":\"fail\"}", "on_error", "fail"},
	{"config: on_error warn", "{\"on_error\":\"warn\"}", NULL, NULL},
	{"config: on_missed mend", "{\"on_missed\":\"mend\"}", "on_missed", "mend"},
	{"config: on_missed refuse", "{\"on_missed\":\"refuse\"}", "on_missed", "refuse"},
	{"config: on_missed report", "{\"on_missed\":\"report\"}", NULL, NULL},
	{"config: privileged_scan", "{\"privileged_scan\":true}", "privileged_scan", "true"},
	{"config: seccomp amend", "{\"seccomp\":\"amend\"}", "seccomp", "amend"},
	{"config: seccomp warn", "{\"seccomp\":\"warn\"}", NULL, NULL},
};

UNIT_ROWS(good_cases)
{
	WITH_ARENA;
	struct config config;
	int status = load(&arena, row->text, &config, &err);

	assert_string_equal(err.text, "");
	assert_int_equal(status, 0);
	check_keys(&config, row->key, row->value);
}

/* The installed file lists each key's default in a comment; here without the comment signs */
#define DOCUMENTED "config/config.json"
#define SIGN "\n  //"

static const char *documented(struct arena *arena)
{
	cleanup_fd fd = open(DOCUMENTED, O_RDONLY | O_CLOEXEC);
	struct fs_text text;
	struct err err = {0};

	assert_int_equal(fs_read_regular(arena, fd, CONFIG_SIZE_MAX, DOCUMENTED, &text, &err), 0);
	for (char *at = text.bytes; (at = strstr(at, SIGN));)
		memset(at + 1, ' ', strlen(SIGN) - 1);
	return text.bytes;
}

UNIT_TEST("config: the documented file is the defaults")
{
	WITH_ARENA;
	struct config config;

	assert_int_equal(load(&arena, documented(&arena), &config, &err), 0);
	check_keys(&config, NULL, NULL);
}

UNIT_TEST("config: cut off at every byte is an error")
{
	cleanup_unit_dir root = unit_dir_make();
	cleanup_arena whole = {0};
	const char *text = documented(&whole);
	size_t end = (size_t)(strrchr(text, '}') - text);

	for (size_t len = 0; len <= end; len++) {
		WITH_ARENA;
		struct config config = {.path = "untouched"};
		const char *cut = arena_strndup(&arena, text, len);

		unit_write(root.fd, CONFIG_PATH, cut, 0644);
		assert_int_equal(config_load(&arena, root.fd, NULL, &config, &err), -1);
		assert_has(err.text, FILE_NAME ": ");
		assert_string_equal(config.path, "untouched");
	}
}

UNIT_TEST("capabilities: whether the file says them, be it none")
{
	WITH_ARENA;
	struct config config;

	assert_int_equal(load(&arena, "{}", &config, &err), 0);
	assert_false(config.says_capabilities);
	assert_int_equal(load(&arena, "{\"capabilities\":[]}", &config, &err), 0);
	assert_true(config.says_capabilities);
}
