/* SPDX-License-Identifier: Apache-2.0 */
/* What each key changes; the documented file is the defaults. */
#include "suite.h"

static const struct good_case {
	const char *name;
	const char *text;
	enum field field;
	const char *value;
} good_cases[] = {
	{"config: {} has the defaults", "{}", FIELDS, NULL},
	{"config: comments", "// why\n{ /* none */ } // at all\n", FIELDS, NULL},
	{"config: opt_in device", "{\"opt_in\":\"device\"}", OPT_IN, "device"},
	{"config: opt_in annotation", "{\"opt_in\":\"annotation\"}", FIELDS, NULL},
	{"config: namespaces", "{\"namespaces\":[\"team-a\",\"ml-*\"]}", NAMESPACES,
	 "team-a,ml-*,"},
	{"config: no namespace at all", "{\"namespaces\":[]}", NAMESPACES, ""},
	{"config: many namespaces",
	 "{\"namespaces\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\",\"j\"]}",
	 NAMESPACES, "a,b,c,d,e,f,g,h,i,j,"},
	{"config: memlock unlimited", "{\"memlock\":\"unlimited\"}", FIELDS, NULL},
	{"config: memlock 64Gi", "{\"memlock\":\"64Gi\"}", MEMLOCK, "68719476736"},
	{"config: memlock in bytes, a string", "{\"memlock\":\"8388608\"}", MEMLOCK, "8388608"},
	{"config: memlock in bytes, a number", "{\"memlock\":8388608}", MEMLOCK, "8388608"},
	{"config: require_memory_limit", "{\"require_memory_limit\":true}", REQUIRE_MEMORY_LIMIT,
	 "true"},
	{"config: no capabilities", "{\"capabilities\":[]}", CAPABILITIES, ""},
	{"config: two capabilities", "{\"capabilities\":[\"CAP_SYS_RESOURCE\",\"CAP_IPC_LOCK\"]}",
	 CAPABILITIES, "CAP_IPC_LOCK,CAP_SYS_RESOURCE,"},
	{"config: a capability twice is one", "{\"capabilities\":[\"CAP_CHOWN\",\"CAP_CHOWN\"]}",
	 CAPABILITIES, "CAP_CHOWN,"},
	{"config: nccl {} has the defaults", "{\"nccl\":{}}", FIELDS, NULL},
	{"config: nccl.hca false", "{\"nccl\":{\"hca\":false}}", HCA, "false"},
	{"config: nccl.socket_ifname rdma", "{\"nccl\":{\"socket_ifname\":\"rdma\"}}",
	 SOCKET_IFNAME, "rdma"},
	{"config: nccl.socket_ifname literal", "{\"nccl\":{\"socket_ifname\":\"=eth0\"}}",
	 SOCKET_IFNAME, "=eth0"},
	{"config: nccl.socket_ifname null", "{\"nccl\":{\"socket_ifname\":null}}", FIELDS, NULL},
	{"config: nccl.gid_index auto", "{\"nccl\":{\"gid_index\":\"auto\"}}", FIELDS, NULL},
	{"config: nccl.gid_index legacy", "{\"nccl\":{\"gid_index\":\"legacy\"}}", GID_INDEX,
	 "legacy"},
	{"config: nccl.gid_index 0", "{\"nccl\":{\"gid_index\":0}}", GID_INDEX, "0"},
	{"config: nccl.gid_index 255", "{\"nccl\":{\"gid_index\":255}}", GID_INDEX, "255"},
	{"config: nccl.gdr_level null", "{\"nccl\":{\"gdr_level\":null}}", FIELDS, NULL},
	{"config: nccl.gdr_level SYS", "{\"nccl\":{\"gdr_level\":\"SYS\"}}", GDR_LEVEL, "SYS"},
	{"config: nccl.gdr_level 5", "{\"nccl\":{\"gdr_level\":5}}", GDR_LEVEL, "5"},
	{"config: nccl.gdr_level 0", "{\"nccl\":{\"gdr_level\":0}}", GDR_LEVEL, "0"},
	{"config: nccl.extra in its order",
	 "{\"nccl\":{\"extra\":{\"NCCL_IB_TC\":\"106\",\"A_1\":\"x = y # z\"}}}", EXTRA,
	 "NCCL_IB_TC=106,A_1=x = y # z,"},
	{"config: on_no_device tcp", "{\"on_no_device\":\"tcp\"}", ON_NO_DEVICE, "tcp"},
	{"config: on_no_device fail", "{\"on_no_device\":\"fail\"}", ON_NO_DEVICE, "fail"},
	{"config: on_no_device ignore", "{\"on_no_device\":\"ignore\"}", FIELDS, NULL},
	{"config: on_error fail", "{\"on_error\":\"fail\"}", ON_ERROR, "fail"},
	{"config: on_error warn", "{\"on_error\":\"warn\"}", FIELDS, NULL},
	{"config: privileged_scan", "{\"privileged_scan\":true}", PRIVILEGED_SCAN, "true"},
	{"config: seccomp amend", "{\"seccomp\":\"amend\"}", SECCOMP, "amend"},
	{"config: seccomp warn", "{\"seccomp\":\"warn\"}", FIELDS, NULL},
	{"config: runtimes", "{\"runtimes\":[\"/usr/local/bin/crun\"]}", RUNTIMES,
	 "/usr/local/bin/crun,"},
	{"config: state_dir", "{\"state_dir\":\"/run/x\"}", STATE_DIR, "/run/x"},
};

static void is_read(void **state)
{
	const struct good_case *row = *state;
	cleanup_arena arena = {0};
	struct config config;
	struct err err = {0};
	int status = load(&arena, row->text, &config, &err);

	assert_string_equal(err.text, "");
	assert_int_equal(status, 0);
	check_fields(&config, row->field, row->value);
}

/* The text of the design page, comments and all, is the defaults. */
static const char design[] =
	"{ \"opt_in\": \"annotation\",          // annotation | device\n"
	"  \"namespaces\": [\"*\"],             // who may have it\n"
	"  \"memlock\": \"unlimited\",          // or bytes, \"64Gi\"\n"
	"  \"require_memory_limit\": false,\n"
	"  \"capabilities\": [\"CAP_IPC_LOCK\"],// added to all five sets\n"
	"  \"nccl\": { \"hca\": true, \"socket_ifname\": null, \"gid_index\": \"auto\",\n"
	"             \"gdr_level\": null, \"extra\": {} },\n"
	"  \"on_no_device\": \"ignore\",        // ignore | tcp | fail\n"
	"  \"on_error\": \"warn\",              // warn | fail\n"
	"  \"privileged_scan\": false,\n"
	"  \"runtimes\": [\"/usr/libexec/crio/crun\", \"/usr/bin/crun\",\n"
	"               \"/usr/libexec/crio/runc\", \"/usr/bin/runc\"],\n"
	"  \"state_dir\": \"/run/oci-rdma-hook\" }\n";

static void the_documented_file_is_the_defaults(void **state)
{
	cleanup_arena arena = {0};
	struct config config;
	struct err err = {0};

	(void)state;
	assert_int_equal(load(&arena, design, &config, &err), 0);
	check_fields(&config, FIELDS, NULL);
}

static void cut_off_at_every_byte_is_an_error(void **state)
{
	cleanup_unit_dir root = unit_dir_make();
	char text[sizeof(design)];
	size_t end = (size_t)(strrchr(design, '}') - design);

	(void)state;
	for (size_t len = 0; len <= end; len++) {
		cleanup_arena arena = {0};
		struct config config = {.path = "untouched"};
		struct err err = {0};

		(void)snprintf(text, sizeof(text), "%.*s", (int)len, design);
		unit_write(root.fd, CONFIG_PATH, text, 0644);
		assert_int_equal(config_load(&arena, root.fd, NULL, &config, &err), -1);
		assert_has(err.text, FILE_NAME ": ");
		assert_string_equal(config.path, "untouched");
	}
}

void add_value_tests(struct unit_suite *suite)
{

	UNIT_TABLE(suite, is_read, good_cases);
	unit_add(suite, "config: the documented file is the defaults",
		 the_documented_file_is_the_defaults, NULL);
	unit_add(suite, "config: cut off at every byte is an error",
		 cut_off_at_every_byte_is_an_error, NULL);
}
