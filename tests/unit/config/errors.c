/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <limits.h>

#include "core/base/capability.h"
#include "core/policy/config.h"
#include "core/policy/quantity.h"

#define FILE_NAME "/etc/oci-rdma-hook/config.json"

/* Loads text as the config of a sysroot of its own. */
static int load(struct arena *arena, const char *text, struct config *config, struct err *err)
{
	cleanup_unit_dir root = unit_dir_make();

	unit_write(root.fd, CONFIG_PATH, text, 0644);
	return config_load(arena, root.fd, NULL, config, err);
}

/* ---- every field as a text, so that tables can say what a key changes ---- */

enum field {
	PATH,
	OPT_IN,
	NAMESPACES,
	MEMLOCK,
	REQUIRE_MEMORY_LIMIT,
	CAPABILITIES,
	HCA,
	SOCKET_IFNAME,
	GID_INDEX,
	GDR_LEVEL,
	EXTRA,
	ON_NO_DEVICE,
	ON_ERROR,
	PRIVILEGED_SCAN,
	SECCOMP,
	RUNTIMES,
	STATE_DIR,
	FIELDS,
};

static const char *const defaults[FIELDS] = {
	[PATH] = FILE_NAME,
	[OPT_IN] = "annotation",
	[NAMESPACES] = "*,",
	[MEMLOCK] = "18446744073709551615",
	[REQUIRE_MEMORY_LIMIT] = "false",
	[CAPABILITIES] = "CAP_IPC_LOCK,",
	[HCA] = "true",
	[SOCKET_IFNAME] = "null",
	[GID_INDEX] = "auto",
	[GDR_LEVEL] = "null",
	[EXTRA] = "",
	[ON_NO_DEVICE] = "ignore",
	[ON_ERROR] = "warn",
	[PRIVILEGED_SCAN] = "false",
	[SECCOMP] = "warn",
	[RUNTIMES] = "/usr/bin/crun,/usr/bin/runc,",
	[STATE_DIR] = "/run/oci-rdma-hook",
};

static const char *or_null(const char *text)
{
	return text ? text : "null";
}

static const char *join(struct arena *arena, const char **item, size_t n)
{
	const char *all = "";

	for (size_t i = 0; i < n; i++)
		all = arena_printf(arena, "%s%s,", all, item[i]);
	return all;
}

static const char *join_capabilities(struct arena *arena, uint64_t capabilities)
{
	const char *all = "";

	for (const char *const *names = capability_names(arena, capabilities); *names; names++)
		all = arena_printf(arena, "%s%s,", all, *names);
	return all;
}

static const char *join_extra(struct arena *arena, const struct config *config)
{
	const char *all = "";

	for (size_t i = 0; i < config->nccl.n_extra; i++)
		all = arena_printf(arena, "%s%s=%s,", all, config->nccl.extra[i].name,
				   config->nccl.extra[i].value);
	return all;
}

static const char *gid_index(struct arena *arena, const struct config *config)
{
	if (config->nccl.gid_index == GID_INDEX_NUMBER)
		return arena_printf(arena, "%u", config->nccl.gid_index_number);
	return config->nccl.gid_index == GID_INDEX_LEGACY ? "legacy" : "auto";
}

static void render(struct arena *arena, const struct config *config, const char *fields[FIELDS])
{
	static const char *const no_device[] = {"ignore", "tcp", "fail"};
	static const char *const boolean[] = {"false", "true"};

	fields[PATH] = config->path;
	fields[OPT_IN] = config->opt_in == OPT_IN_DEVICE ? "device" : "annotation";
	fields[NAMESPACES] = join(arena, config->namespaces, config->n_namespaces);
	fields[MEMLOCK] = arena_printf(arena, "%llu", (unsigned long long)config->memlock);
	fields[REQUIRE_MEMORY_LIMIT] = boolean[config->require_memory_limit];
	fields[CAPABILITIES] = join_capabilities(arena, config->capabilities);
	fields[HCA] = boolean[config->nccl.hca];
	fields[SOCKET_IFNAME] = or_null(config->nccl.socket_ifname);
	fields[GID_INDEX] = gid_index(arena, config);
	fields[GDR_LEVEL] = or_null(config->nccl.gdr_level);
	fields[EXTRA] = join_extra(arena, config);
	fields[ON_NO_DEVICE] = no_device[config->on_no_device];
	fields[ON_ERROR] = config->fail_on_error ? "fail" : "warn";
	fields[PRIVILEGED_SCAN] = boolean[config->privileged_scan];
	fields[SECCOMP] = config->amend_seccomp ? "amend" : "warn";
	fields[RUNTIMES] = join(arena, config->runtimes, config->n_runtimes);
	fields[STATE_DIR] = config->state_dir;
}

/* All fields have their defaults but this one. */
static void check_fields(const struct config *config, enum field changed, const char *value)
{
	cleanup_arena arena = {0};
	const char *fields[FIELDS];

	render(&arena, config, fields);
	for (int i = 0; i < FIELDS; i++)
		assert_string_equal(fields[i], i == (int)changed ? value : defaults[i]);
}

/* ---- right values ---- */

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
	"  \"runtimes\": [\"/usr/bin/crun\", \"/usr/bin/runc\"],\n"
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

/* ---- wrong values: the whole error, behind the file's name ---- */

#define ROOT_KEYS                                                                                  \
	"opt_in, namespaces, memlock, require_memory_limit, capabilities, nccl, frameworks, "      \
	"on_no_device, "                                                                           \
	"on_error, privileged_scan, seccomp, runtimes, state_dir"
#define NCCL_KEYS "hca, socket_ifname, gid_index, gdr_level, extra"
static const struct bad_case {
	const char *name;
	const char *text;
	const char *error;
} bad_cases[] = {
	{"wrong: unknown key", "{\n\n\"optin\":\"device\"}",
	 "line 3: optin: unknown key; known here: " ROOT_KEYS},
	{"wrong: unknown key in nccl", "{\"nccl\":{\n\"hcas\":true}}",
	 "line 2: nccl.hcas: unknown key; known here: " NCCL_KEYS},
	{"wrong: key in another case", "{\"Opt_in\":\"device\"}", "line 1: Opt_in: unknown key"},
	{"wrong: key twice", "{\"memlock\":\"1Gi\",\n\"memlock\":\"2Gi\"}",
	 "line 2: memlock: occurs twice"},
	{"wrong: key twice in nccl", "{\"nccl\":{\"hca\":true,\"hca\":false}}",
	 "line 1: nccl.hca: occurs twice"},
	{"wrong: nccl twice", "{\"nccl\":{},\"nccl\":{}}", "line 1: nccl: occurs twice"},
	{"wrong: key with a NUL behind a known one", "{\"opt_in\\u0000x\":\"device\"}", "line 1: "},
	{"wrong: no object", "[]", "line 1: expected an object, found an array"},
	{"wrong: empty file", "", "the text ends before its value does"},
	{"wrong: text behind it", "{}\n{}", "line 2: parse error: trailing garbage"},

	{"wrong: opt_in", "{\n\"opt_in\":\"always\"}",
	 "line 2: opt_in: 'always' is not one of annotation, device"},
	{"wrong: opt_in, the beginning of a word", "{\"opt_in\":\"dev\"}",
	 "line 1: opt_in: 'dev' is not one of annotation, device"},
	{"wrong: opt_in of a type", "{\"opt_in\":true}",
	 "line 1: opt_in: expected a string, found a boolean"},
	{"wrong: opt_in null", "{\"opt_in\":null}",
	 "line 1: opt_in: expected a string, found null"},
	{"wrong: namespaces, a string", "{\"namespaces\":\"*\"}",
	 "line 1: namespaces: expected an array, found a string"},
	{"wrong: namespaces null", "{\"namespaces\":null}",
	 "line 1: namespaces: expected an array"},
	{"wrong: namespaces, a number in it", "{\"namespaces\":[\"a\",\n1]}",
	 "line 2: namespaces[1]: expected a string, found a number"},
	{"wrong: namespaces, '*' in the middle", "{\"namespaces\":[\"a*b\"]}",
	 "line 1: namespaces[0]: 'a*b' is neither"},
	{"wrong: namespaces, '*' in front", "{\"namespaces\":[\"*-prod\"]}",
	 "line 1: namespaces[0]: '*-prod' is neither"},
	{"wrong: namespaces, two '*'", "{\"namespaces\":[\"a**\"]}",
	 "line 1: namespaces[0]: 'a**' is neither"},
	{"wrong: namespaces, empty", "{\"namespaces\":[\"a\",\"\"]}",
	 "line 1: namespaces[1]: '' is neither"},
	{"wrong: namespaces, a line break", "{\"namespaces\":[\"a\\nb\"]}",
	 "line 1: namespaces[0]: 'a?b' is neither"},
	{"wrong: memlock, a unit", "{\n\n\"memlock\":\"1GB\"}",
	 "line 3: memlock: '1GB' has an unknown unit"},
	{"wrong: memlock 0", "{\"memlock\":0}", "line 1: memlock: 0 would leave no memory"},
	{"wrong: memlock -1", "{\"memlock\":-1}", "line 1: memlock: '-1' is no amount of memory"},
	{"wrong: memlock, a fraction", "{\"memlock\":1.5}",
	 "line 1: memlock: '1.5' has an unknown"},
	{"wrong: memlock, an exponent", "{\"memlock\":1e9}",
	 "line 1: memlock: '1e9' has an unknown"},
	{"wrong: memlock 2^64-1", "{\"memlock\":18446744073709551615}",
	 "line 1: memlock: '18446744073709551615' is larger than 2^64-2 bytes; write unlimited"},
	{"wrong: memlock null", "{\"memlock\":null}", "line 1: memlock: expected another type"},
	{"wrong: memlock false", "{\"memlock\":false}", "line 1: memlock: expected another type"},
	{"wrong: memlock with a NUL", "{\"memlock\":\"1\\u0000Gi\"}",
	 "line 1: memlock: holds a NUL character"},
	{"wrong: require_memory_limit, a string", "{\"require_memory_limit\":\"true\"}",
	 "line 1: require_memory_limit: expected a boolean, found a string"},
	{"wrong: require_memory_limit null", "{\"require_memory_limit\":null}",
	 "line 1: require_memory_limit: expected a boolean, found null"},
	{"wrong: capabilities, an unknown one", "{\"capabilities\":[\"CAP_CHOWN\",\n\"CAP_RDMA\"]}",
	 "line 2: capabilities[1]: 'CAP_RDMA' is no capability"},
	{"wrong: capabilities, no CAP_", "{\"capabilities\":[\"IPC_LOCK\"]}",
	 "line 1: capabilities[0]: 'IPC_LOCK' is no capability"},
	{"wrong: capabilities, lower case", "{\"capabilities\":[\"cap_ipc_lock\"]}",
	 "line 1: capabilities[0]: 'cap_ipc_lock' is no capability"},
	{"wrong: capabilities, a number as a text", "{\"capabilities\":[\"14\"]}",
	 "line 1: capabilities[0]: '14' is no capability"},
	{"wrong: capabilities, a number", "{\"capabilities\":[14]}",
	 "line 1: capabilities[0]: expected a string, found a number"},
	{"wrong: capabilities, two in one text",
	 "{\"capabilities\":[\"CAP_IPC_LOCK,CAP_SYS_ADMIN\"]}",
	 "line 1: capabilities[0]: 'CAP_IPC_LOCK,CAP_SYS_ADMIN' is no capability"},
	{"wrong: capabilities, all", "{\"capabilities\":[\"all\"]}",
	 "line 1: capabilities[0]: 'all'"},
	{"wrong: nccl false", "{\"nccl\":false}", "line 1: nccl: expected an object"},
	{"wrong: nccl null", "{\"nccl\":null}", "line 1: nccl: expected an object, found null"},
	{"wrong: nccl.hca, a number", "{\"nccl\":{\"hca\":1}}",
	 "line 1: nccl.hca: expected a boolean, found a number"},
	{"wrong: nccl.socket_ifname, a list", "{\"nccl\":{\"socket_ifname\":[\"eth0\"]}}",
	 "line 1: nccl.socket_ifname: expected a string, found an array"},
	{"wrong: nccl.socket_ifname, empty", "{\"nccl\":{\"socket_ifname\":\"\"}}",
	 "line 1: nccl.socket_ifname: empty"},
	{"wrong: nccl.socket_ifname, a line break", "{\"nccl\":{\"socket_ifname\":\"a\\nB=c\"}}",
	 "line 1: nccl.socket_ifname: holds a line break or another control character"},
	{"wrong: nccl.socket_ifname, a NUL", "{\"nccl\":{\"socket_ifname\":\"a\\u0000\"}}",
	 "line 1: nccl.socket_ifname: holds a NUL character"},
	{"wrong: nccl.gid_index, another word", "{\"nccl\":{\n\"gid_index\":\"3\"}}",
	 "line 2: nccl.gid_index: '3' is not one of auto, legacy, or a number"},
	{"wrong: nccl.gid_index 256", "{\"nccl\":{\"gid_index\":256}}",
	 "line 1: nccl.gid_index: a GID index is at most 255"},
	{"wrong: nccl.gid_index -1", "{\"nccl\":{\"gid_index\":-1}}",
	 "line 1: nccl.gid_index: -1 is not an integer from 0"},
	{"wrong: nccl.gid_index 3.0", "{\"nccl\":{\"gid_index\":3.0}}",
	 "line 1: nccl.gid_index: 3.0 is not an integer"},
	{"wrong: nccl.gid_index null", "{\"nccl\":{\"gid_index\":null}}",
	 "line 1: nccl.gid_index: expected another type, found null"},
	{"wrong: nccl.gdr_level, another word", "{\"nccl\":{\"gdr_level\":\"sys\"}}",
	 "line 1: nccl.gdr_level: 'sys' is not one of LOC, PIX, PXB, PXN, P2C, PHB, SYS"},
	{"wrong: nccl.gdr_level 6", "{\"nccl\":{\"gdr_level\":6}}",
	 "line 1: nccl.gdr_level: a number here is 0 to 5"},
	{"wrong: nccl.gdr_level -1", "{\"nccl\":{\"gdr_level\":-1}}",
	 "line 1: nccl.gdr_level: a number here is 0 to 5"},
	{"wrong: nccl.gdr_level 1.5", "{\"nccl\":{\"gdr_level\":1.5}}",
	 "line 1: nccl.gdr_level: a number here is 0 to 5"},
	{"wrong: nccl.gdr_level true", "{\"nccl\":{\"gdr_level\":true}}",
	 "line 1: nccl.gdr_level: expected another type"},
	{"wrong: nccl.extra, a list", "{\"nccl\":{\"extra\":[]}}",
	 "line 1: nccl.extra: expected an object, found an array"},
	{"wrong: nccl.extra, a number", "{\"nccl\":{\"extra\":{\n\"NCCL_IB_TC\":106}}}",
	 "line 2: nccl.extra.NCCL_IB_TC: expected a string, found a number"},
	{"wrong: nccl.extra, null", "{\"nccl\":{\"extra\":{\"NCCL_IB_TC\":null}}}",
	 "line 1: nccl.extra.NCCL_IB_TC: expected a string, found null"},
	{"wrong: nccl.extra, a name with '='", "{\"nccl\":{\"extra\":{\"A=B\":\"1\"}}}",
	 "line 1: nccl.extra.A=B: a variable's name is upper-case letters, digits and '_'"},
	{"wrong: nccl.extra, a name in lower case", "{\"nccl\":{\"extra\":{\"a\":\"1\"}}}",
	 "line 1: nccl.extra.a: a variable's name"},
	{"wrong: nccl.extra, a name with a digit first", "{\"nccl\":{\"extra\":{\"1A\":\"1\"}}}",
	 "line 1: nccl.extra.1A: a variable's name"},
	{"wrong: nccl.extra, a name with '#'", "{\"nccl\":{\"extra\":{\"#A\":\"1\"}}}",
	 "line 1: nccl.extra.#A: a variable's name"},
	{"wrong: nccl.extra, an empty name", "{\"nccl\":{\"extra\":{\"\":\"1\"}}}",
	 "a variable's name"},
	{"wrong: nccl.extra, a name with a line break", "{\"nccl\":{\"extra\":{\"A\\nB\":\"1\"}}}",
	 "a variable's name"},
	{"wrong: nccl.extra, a name with a NUL", "{\"nccl\":{\"extra\":{\"A\\u0000B\":\"1\"}}}",
	 "line 1: nccl.extra.A"},
	{"wrong: nccl.extra, an empty value", "{\"nccl\":{\"extra\":{\"A\":\"\"}}}",
	 "line 1: nccl.extra.A: empty"},
	{"wrong: nccl.extra, a value with a line break",
	 "{\"nccl\":{\"extra\":{\"A\":\"1\\nNCCL_NET=Socket\"}}}",
	 "line 1: nccl.extra.A: holds a line break"},
	{"wrong: nccl.extra, a value with CR", "{\"nccl\":{\"extra\":{\"A\":\"1\\r\"}}}",
	 "line 1: nccl.extra.A: holds a line break"},
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
	{"wrong: nccl.extra has NVSHMEM_HCA_LIST as frameworks has",
	 "{\"frameworks\":{\"nvshmem\":true},\"nccl\":{\"extra\":{\"NVSHMEM_HCA_LIST\":\"1\"}}}",
	 "line 1: nccl.extra.NVSHMEM_HCA_LIST: already set by frameworks.nvshmem"},
	{"wrong: nccl.extra has NVSHMEM_ENABLE_NIC_PE_MAPPING as frameworks has",
	 "{\"frameworks\":{\"nvshmem\":true},\"nccl\":{\"extra\":{\"NVSHMEM_ENABLE_NIC_PE_"
	 "MAPPING\":\"1\"}}}",
	 "line 1: nccl.extra.NVSHMEM_ENABLE_NIC_PE_MAPPING: already set by frameworks.nvshmem"},
	{"wrong: nccl.extra has GLOO_SOCKET_IFNAME as frameworks has",
	 "{\"frameworks\":{\"gloo\":true},\"nccl\":{\"extra\":{\"GLOO_SOCKET_IFNAME\":\"1\"}}}",
	 "line 1: nccl.extra.GLOO_SOCKET_IFNAME: already set by frameworks.gloo"},
	{"wrong: on_no_device", "{\"on_no_device\":\"TCP\"}",
	 "line 1: on_no_device: 'TCP' is not one of ignore, tcp, fail"},
	{"wrong: on_error", "{\"on_error\":\"ignore\"}",
	 "line 1: on_error: 'ignore' is not one of warn, fail"},
	{"wrong: privileged_scan, a string", "{\"privileged_scan\":\"no\"}",
	 "line 1: privileged_scan: expected a boolean, found a string"},
	{"wrong: seccomp", "{\"seccomp\":\"off\"}",
	 "line 1: seccomp: 'off' is not one of warn, amend"},
	{"wrong: seccomp true", "{\"seccomp\":true}", "line 1: seccomp: expected a string"},
	{"wrong: runtimes, a relative path", "{\"runtimes\":[\"/usr/bin/crun\",\n\"runc\"]}",
	 "line 2: runtimes[1]: 'runc' is not an absolute path"},
	{"wrong: runtimes, empty", "{\"runtimes\":[\"\"]}", "line 1: runtimes[0]: '' is not"},
	{"wrong: runtimes, a string", "{\"runtimes\":\"/usr/bin/crun\"}",
	 "line 1: runtimes: expected an array, found a string"},
	{"wrong: state_dir, a relative path", "{\"state_dir\":\"run\"}",
	 "line 1: state_dir: 'run' is not an absolute path"},
	{"wrong: state_dir, a line break", "{\"state_dir\":\"/run\\n\"}",
	 "line 1: state_dir: '/run?' is not an absolute path"},
	{"wrong: state_dir null", "{\"state_dir\":null}",
	 "line 1: state_dir: expected a string, found null"},
};

static void is_refused(void **state)
{
	const struct bad_case *row = *state;
	cleanup_arena arena = {0};
	struct config config = {.path = "untouched"};
	struct err err = {0};
	char error[512];

	(void)snprintf(error, sizeof(error), "%s: %s", FILE_NAME, row->error);
	assert_int_equal(load(&arena, row->text, &config, &err), -1);
	assert_has(err.text, strncmp(row->error, "line", 4) == 0 ? error : row->error);
	assert_has(err.text, FILE_NAME ": ");
	assert_one_line(&err);
	assert_string_equal(config.path, "untouched");
}

/* What a field does not set, "extra" may. */
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
};

static void extra_is_taken(void **state)
{
	const struct extra_case *row = *state;
	cleanup_arena arena = {0};
	struct config config;
	struct err err = {0};

	assert_int_equal(load(&arena, row->text, &config, &err), 0);
	assert_int_equal(config.nccl.n_extra, 1);
}

static int load_value(size_t len, const char *before, const char *after)
{
	cleanup_arena arena = {0};
	struct config config;
	struct err err = {0};
	char *value = arena_alloc(&arena, len + 1);

	assert_non_null(value);
	memset(value, 'x', len);
	return load(&arena, arena_printf(&arena, "%s%s%s", before, value, after), &config, &err);
}

static void values_fit_what_nccl_reads(void **state)
{
	(void)state;
	assert_int_equal(load_value(1023, "{\"nccl\":{\"extra\":{\"A\":\"", "\"}}}"), 0);
	assert_int_equal(load_value(1024, "{\"nccl\":{\"extra\":{\"A\":\"", "\"}}}"), -1);
	assert_int_equal(load_value(1023, "{\"nccl\":{\"socket_ifname\":\"", "\"}}"), 0);
	assert_int_equal(load_value(1024, "{\"nccl\":{\"socket_ifname\":\"", "\"}}"), -1);
}

static void names_of_extra_are_never_dropped(void **state)
{
	(void)state;
	/* A name that is too long for us is an error, not a variable that silently lacks. */
	for (size_t len = 200; len < 1200; len += 50) {
		cleanup_arena arena = {0};
		struct config config = {0};
		struct err err = {0};
		char *name = arena_alloc(&arena, len + 1);
		int status;

		memset(name, 'A', len);
		status = load(&arena,
			      arena_printf(&arena, "{\"nccl\":{\"extra\":{\"%s\":\"1\"}}}", name),
			      &config, &err);
		assert_true(status < 0 || config.nccl.n_extra == 1);
	}
}

/* ---- the file ---- */

static void an_absent_file_is_the_defaults(void **state)
{
	static const char *const present[] = {"x", "etc/x", "etc/oci-rdma-hook/x"};

	(void)state;
	for (size_t i = 0; i < LENGTH(present); i++) {
		cleanup_unit_dir root = unit_dir_make();
		cleanup_arena arena = {0};
		struct config config;
		struct err err = {0};

		unit_write(root.fd, present[i], "", 0644);
		assert_int_equal(config_load(&arena, root.fd, NULL, &config, &err), 0);
		check_fields(&config, FIELDS, NULL);
	}
}

static void a_named_file_must_exist(void **state)
{
	cleanup_unit_dir root = unit_dir_make();
	cleanup_arena arena = {0};
	struct config config;
	struct err err = {0};
	const char *path = arena_printf(&arena, "%s/absent.json", root.path);

	(void)state;
	assert_true(config_load(&arena, root.fd, path, &config, &err) < 0);
	assert_has(err.text, path);
	assert_has(err.text, "No such file or directory");
	assert_true(config_load(&arena, root.fd, "", &config, &err) < 0);
}

static void a_named_file_is_read_and_the_default_is_not(void **state)
{
	cleanup_unit_dir root = unit_dir_make();
	cleanup_arena arena = {0};
	struct config config;
	struct err err = {0};
	const char *path = arena_printf(&arena, "%s/named.json", root.path);

	(void)state;
	unit_write(root.fd, CONFIG_PATH, "broken", 0644);
	unit_write(root.fd, "named.json", "{\"opt_in\":\"device\"}", 0644);
	assert_int_equal(config_load(&arena, root.fd, path, &config, &err), 0);
	assert_int_equal(config.opt_in, OPT_IN_DEVICE);
	assert_string_equal(config.path, path);
	unit_write(root.fd, "named.json", "{\n\"x\":1}", 0644);
	assert_int_equal(config_load(&arena, root.fd, path, &config, &err), -1);
	assert_has(err.text, arena_printf(&arena, "%s: line 2: x: unknown key", path));
}

/* Relative to the working directory, as people type it, and not to the sysroot */
static void a_named_file_may_be_relative(void **state)
{
	cleanup_unit_dir root = unit_dir_make();
	cleanup_fd before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_arena arena = {0};
	struct config config = {0};
	struct err err = {0};
	int status;

	(void)state;
	unit_write(root.fd, "conf/named.json", "{\"opt_in\":\"device\"}", 0644);
	assert_int_equal(fchdir(root.fd), 0);
	status = config_load(&arena, -1, "conf/named.json", &config, &err);
	assert_int_equal(fchdir(before), 0);
	assert_string_equal(err.text, "");
	assert_int_equal(status, 0);
	assert_int_equal(config.opt_in, OPT_IN_DEVICE);
	assert_string_equal(config.path, "conf/named.json");
}

/* ---- who may write it ---- */

static int put_fifo(int root)
{
	return mkfifoat(root, CONFIG_PATH, 0600);
}

static int put_directory(int root)
{
	return mkdirat(root, CONFIG_PATH, 0755);
}

static int link_file(int root)
{
	unit_write(root, "etc/oci-rdma-hook/target.json", "{}", 0644);
	return symlinkat("target.json", root, CONFIG_PATH);
}

static int link_to_nothing(int root)
{
	return symlinkat("absent.json", root, CONFIG_PATH);
}

static int link_directory(int root)
{
	unit_write(root, "etc/real/config.json", "{}", 0644);
	return unlinkat(root, "etc/oci-rdma-hook", AT_REMOVEDIR) ||
	       symlinkat("real", root, "etc/oci-rdma-hook");
}

static int link_first_directory(int root)
{
	unit_write(root, "real/oci-rdma-hook/config.json", "{}", 0644);
	return unlinkat(root, "etc/oci-rdma-hook", AT_REMOVEDIR) ||
	       unlinkat(root, "etc", AT_REMOVEDIR) || symlinkat("real", root, "etc");
}

static int file_as_directory(int root)
{
	if (unlinkat(root, "etc/oci-rdma-hook", AT_REMOVEDIR))
		return -1;
	unit_write(root, "etc/oci-rdma-hook", "x", 0644);
	return 0;
}

static int hard_link(int root)
{
	unit_write(root, "etc/other.json", "{}", 0644);
	return linkat(root, "etc/other.json", root, CONFIG_PATH, 0);
}

static const struct trust_case {
	const char *name;
	mode_t etc; /* 0: 0755 */
	mode_t dir;
	mode_t file;           /* 0: made by make */
	int (*make)(int root); /* in place of a file */
	const char *error;     /* NULL: it is trusted */
} trust_cases[] = {
	{"trust: 0644", 0, 0, 0644, NULL, NULL},
	{"trust: 0600 and directories 0700", 0700, 0700, 0600, NULL, NULL},
	{"trust: a hard link of root's is a file", 0, 0, 0, hard_link, NULL},
	{"trust: a file that everyone may write is refused", 0, 0, 0646, NULL,
	 "config.json is writable by others (mode 0646): chmod go-w it"},
	{"trust: a file that its group may write is refused", 0, 0, 0664, NULL,
	 "config.json is writable by others (mode 0664)"},
	{"trust: a sticky file that others may write is refused", 0, 0, 01666, NULL,
	 "config.json is writable by others (mode 1666)"},
	{"trust: a directory that everyone may write is refused", 0, 0777, 0644, NULL,
	 "oci-rdma-hook is writable by others (mode 0777)"},
	{"trust: a directory that its group may write is refused", 0, 0775, 0644, NULL,
	 "oci-rdma-hook is writable by others (mode 0775)"},
	{"trust: a parent that everyone may write is refused", 0757, 0, 0644, NULL,
	 "etc is writable by others (mode 0757)"},
	{"trust: a sticky parent is fine", 01777, 0, 0644, NULL, NULL},
	{"trust: a sticky directory is fine", 0, 01777, 0644, NULL, NULL},
	{"trust: a symbolic link is refused", 0, 0, 0, link_file, "config.json is a symbolic link"},
	{"trust: a dangling symbolic link is refused", 0, 0, 0, link_to_nothing,
	 "config.json is a symbolic link"},
	{"trust: a symbolic link as directory is refused", 0, 0, 0, link_directory,
	 "oci-rdma-hook is a symbolic link or no directory"},
	{"trust: a symbolic link as first directory is refused", 0, 0, 0, link_first_directory,
	 "etc is a symbolic link or no directory"},
	{"trust: a file as directory is refused", 0, 0, 0, file_as_directory,
	 "oci-rdma-hook is a symbolic link or no directory"},
	{"trust: a FIFO is refused and does not block", 0, 0, 0, put_fifo, "not a regular file"},
	{"trust: a directory is refused", 0, 0, 0, put_directory, "not a regular file"},
};

static void is_trusted_or_not(void **state)
{
	const struct trust_case *row = *state;
	cleanup_unit_dir root = unit_dir_make();
	cleanup_arena arena = {0};
	struct config config;
	struct err err = {0};
	int status;

	unit_write(root.fd, CONFIG_PATH, "{}", row->file ? row->file : 0644);
	if (row->make) {
		assert_int_equal(unlinkat(root.fd, CONFIG_PATH, 0), 0);
		assert_int_equal(row->make(root.fd), 0);
	}
	if (row->dir)
		assert_int_equal(fchmodat(root.fd, "etc/oci-rdma-hook", row->dir, 0), 0);
	if (row->etc)
		assert_int_equal(fchmodat(root.fd, "etc", row->etc, 0), 0);
	(void)alarm(5);
	status = config_load(&arena, root.fd, NULL, &config, &err);
	(void)alarm(0);
	if (!row->error) {
		assert_string_equal(err.text, "");
		assert_int_equal(status, 0);
		return;
	}
	assert_int_equal(status, -1);
	assert_has(err.text, row->error);
	assert_has(err.text, FILE_NAME ": ");
}

/* Another user's file grants nothing. */
static void a_file_of_another_user_is_refused(void **state)
{
	static const char *const places[] = {CONFIG_PATH, "etc/oci-rdma-hook", "etc"};

	(void)state;
	for (size_t i = 0; i < LENGTH(places); i++) {
		cleanup_unit_dir root = unit_dir_make();
		cleanup_arena arena = {0};
		struct config config;
		struct err err = {0};

		unit_write(root.fd, CONFIG_PATH, "{}", 0644);
		assert_int_equal(fchownat(root.fd, places[i], 12345, 0, 0), 0);
		assert_int_equal(config_load(&arena, root.fd, NULL, &config, &err), -1);
		assert_has(err.text, " belongs to uid 12345, not to root");
	}
}

static void a_group_alone_does_not_matter(void **state)
{
	cleanup_unit_dir root = unit_dir_make();
	cleanup_arena arena = {0};
	struct config config;
	struct err err = {0};

	(void)state;
	unit_write(root.fd, CONFIG_PATH, "{}", 0640);
	assert_int_equal(fchownat(root.fd, CONFIG_PATH, (uid_t)-1, 12345, 0), 0);
	assert_int_equal(config_load(&arena, root.fd, NULL, &config, &err), 0);
}

/* A file that may be named anywhere: each directory on the way is looked at. */
static void a_named_path_is_checked_on_its_whole_way(void **state)
{
	cleanup_unit_dir root = unit_dir_make();
	cleanup_arena arena = {0};
	struct config config;
	struct err err = {0};
	const char *path = arena_printf(&arena, "%s/a//b/./c.json", root.path);

	(void)state;
	unit_write(root.fd, "a/b/c.json", "{}", 0644);
	assert_int_equal(config_load(&arena, -1, path, &config, &err), 0);
	assert_int_equal(fchmodat(root.fd, "a", 0777, 0), 0);
	assert_int_equal(config_load(&arena, -1, path, &config, &err), -1);
	assert_has(err.text, "a is writable by others");
	assert_int_equal(fchmodat(root.fd, "a", 0755, 0), 0);
	assert_int_equal(symlinkat("a", root.fd, "l"), 0);
	path = arena_printf(&arena, "%s/l/b/c.json", root.path);
	assert_int_equal(config_load(&arena, -1, path, &config, &err), -1);
	assert_has(err.text, "l is a symbolic link");
}

static void a_path_too_long_is_an_error(void **state)
{
	cleanup_arena arena = {0};
	struct config config;
	struct err err = {0};
	char path[PATH_MAX + 100];

	(void)state;
	memset(path, '/', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_true(config_load(&arena, -1, path, &config, &err) < 0);
	assert_one_line(&err);
}

static void the_size_is_bounded(void **state)
{
	(void)state;
	for (size_t size = CONFIG_SIZE_MAX; size <= CONFIG_SIZE_MAX + 1; size++) {
		cleanup_arena arena = {0};
		struct config config;
		struct err err = {0};
		char *text = arena_alloc(&arena, size + 1);
		int status;

		assert_non_null(text);
		memset(text, ' ', size);
		memcpy(text, "{}", 2);
		status = load(&arena, text, &config, &err);
		assert_int_equal(status, size > CONFIG_SIZE_MAX ? -1 : 0);
		if (status < 0)
			assert_has(err.text, FILE_NAME ": larger than 262144 bytes");
	}
}

/* ---- namespaces ---- */

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
	{"namespace: exact is not a beginning", {"team-a"}, "team", false},
	{"namespace: exact does not allow an unknown one", {"team-a"}, NULL, false},
	{"namespace: case counts", {"team-a"}, "Team-a", false},
	{"namespace: prefix", {"team-*"}, "team-a", true},
	{"namespace: prefix and nothing", {"team-*"}, "team-", true},
	{"namespace: prefix is not inside", {"team-*"}, "my-team-a", false},
	{"namespace: prefix is not cut", {"team-*"}, "team", false},
	{"namespace: prefix does not allow an unknown one", {"team-*"}, NULL, false},
	{"namespace: one of several", {"a", "b-*", "c"}, "c", true},
	{"namespace: the prefix among several", {"a", "b-*", "c"}, "b-1", true},
	{"namespace: none of several", {"a", "b-*", "c"}, "d", false},
	{"namespace: '*' behind others", {"a", "*"}, NULL, true},
	{"namespace: empty is not exact", {"a"}, "", false},
};

static void namespace_is_allowed_or_not(void **state)
{
	const struct namespace_case *row = *state;
	struct config config = {0};

	config.namespaces = (const char **)row->patterns;
	while (config.n_namespaces < LENGTH(row->patterns) && row->patterns[config.n_namespaces])
		config.n_namespaces++;
	assert_int_equal(config_allows_namespace(&config, row->pod_namespace), row->allowed);
}

/* ---- capabilities ---- */

static void capability_names_are_those_of_the_oci_specification(void **state)
{
	cleanup_arena arena = {0};
	const char *const *names;

	(void)state;
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
	for (int i = 0; i < 40; i++)
		assert_int_equal(capability_number(names[i]), i);
	assert_non_null(names[63]);
	assert_null(names[64]);
}

static void add_file_tests(struct unit_suite *suite)
{
	unit_add(suite, "file: an absent one is the defaults", an_absent_file_is_the_defaults,
		 NULL);
	unit_add(suite, "file: a named one must exist", a_named_file_must_exist, NULL);
	unit_add(suite, "file: a named one is read, and the default is not",
		 a_named_file_is_read_and_the_default_is_not, NULL);
	unit_add(suite, "file: a named one may be relative", a_named_file_may_be_relative, NULL);
	UNIT_TABLE(suite, is_trusted_or_not, trust_cases);
	unit_add_for_root(suite, "trust: another user's file or directory is refused",
			  a_file_of_another_user_is_refused, NULL);
	unit_add_for_root(suite, "trust: another group that may only read is fine",
			  a_group_alone_does_not_matter, NULL);
	unit_add(suite, "trust: a named path is checked on its whole way",
		 a_named_path_is_checked_on_its_whole_way, NULL);
	unit_add(suite, "file: a path that is too long is an error", a_path_too_long_is_an_error,
		 NULL);
	unit_add(suite, "file: 256 KiB are read, one byte more is not", the_size_is_bounded, NULL);
}

int main(void)
{
	static struct unit_suite suite;

	UNIT_TABLE(&suite, is_read, good_cases);
	unit_add(&suite, "config: the documented file is the defaults",
		 the_documented_file_is_the_defaults, NULL);
	unit_add(&suite, "config: cut off at every byte is an error",
		 cut_off_at_every_byte_is_an_error, NULL);
	UNIT_TABLE(&suite, is_refused, bad_cases);
	UNIT_TABLE(&suite, extra_is_taken, extra_cases);
	unit_add(&suite, "extra: values up to what NCCL reads, 1023 bytes",
		 values_fit_what_nccl_reads, NULL);
	unit_add(&suite, "extra: a long name is taken or refused, never dropped",
		 names_of_extra_are_never_dropped, NULL);
	add_file_tests(&suite);
	UNIT_TABLE(&suite, namespace_is_allowed_or_not, namespace_cases);
	unit_add(&suite, "capabilities: the names of the OCI specification, no others",
		 capability_names_are_those_of_the_oci_specification, NULL);
	return unit_run(&suite, "config");
}
