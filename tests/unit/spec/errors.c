/* SPDX-License-Identifier: Apache-2.0 */
/* Facts out of config.json. */
#include "tests/unit/unit.h"

#include "core/spec/spec.h"

static int parse(struct arena *arena, const char *text, struct spec *spec, struct err *err)
{
	size_t len = strlen(text);
	char *exact = unit_exact(text, len);
	int status = spec_parse(arena, "config.json", exact, len, spec, err);

	free(exact);
	return status;
}

static void must_parse(struct arena *arena, const char *text, struct spec *spec)
{
	struct err err = {0};
	int status = parse(arena, text, spec, &err);

	assert_string_equal(err.text, "");
	assert_int_equal(status, 0);
}

/* ---- device rules: was the container given every device of the host? ---- */

#define DENY_ALL "{\"allow\":false,\"access\":\"rwm\"}"
#define ALLOW_ALL "{\"allow\":true,\"access\":\"rwm\"}"
#define ONE(allow)                                                                                 \
	"{\"allow\":" allow ",\"type\":\"c\",\"major\":231,\"minor\":198,\"access\":\"rwm\"}"

static const struct rule_case {
	const char *name;
	const char *rules;
	bool every_device;
} rule_cases[] = {
	{"rules: none", "", false},
	{"rules: deny all", DENY_ALL, false},
	{"rules: deny all, then one device", DENY_ALL "," ONE("true"), false},
	{"rules: deny all, then allow all", DENY_ALL "," ALLOW_ALL, true},
	{"rules: allow all alone", ALLOW_ALL, true},
	{"rules: allow all, then deny all", ALLOW_ALL "," DENY_ALL, false},
	{"rules: the last of several that say all",
	 DENY_ALL "," ALLOW_ALL "," DENY_ALL "," ALLOW_ALL, true},
	{"rules: a single denial behind does not undo it", ALLOW_ALL "," ONE("false"), true},
	{"rules: a single one between does not undo it", ALLOW_ALL "," ONE("true") "," ONE("false"),
	 true},
	{"rules: type a", "{\"allow\":true,\"type\":\"a\",\"access\":\"rwm\"}", true},
	{"rules: type c, every character device",
	 "{\"allow\":true,\"type\":\"c\",\"access\":\"rwm\"}", true},
	{"rules: type empty", "{\"allow\":true,\"type\":\"\",\"access\":\"rwm\"}", true},
	{"rules: type b", "{\"allow\":true,\"type\":\"b\",\"access\":\"rwm\"}", false},
	{"rules: type p", "{\"allow\":true,\"type\":\"p\",\"access\":\"rwm\"}", false},
	{"rules: deny b behind allow all",
	 ALLOW_ALL ",{\"allow\":false,\"type\":\"b\",\"access\":\"rwm\"}", true},
	{"rules: deny c behind allow all",
	 ALLOW_ALL ",{\"allow\":false,\"type\":\"c\",\"access\":\"rwm\"}", false},
	{"rules: -1 is any number",
	 "{\"allow\":true,\"type\":\"a\",\"major\":-1,\"minor\":-1,\"access\":\"rwm\"}", true},
	{"rules: null is any number",
	 "{\"allow\":true,\"type\":\"a\",\"major\":null,\"minor\":null,\"access\":\"rwm\"}", true},
	{"rules: one major number",
	 "{\"allow\":true,\"type\":\"c\",\"major\":231,\"access\":\"rwm\"}", false},
	{"rules: major 0 is a number",
	 "{\"allow\":true,\"type\":\"c\",\"major\":0,\"access\":\"rwm\"}", false},
	{"rules: one minor number",
	 "{\"allow\":true,\"type\":\"c\",\"minor\":0,\"access\":\"rwm\"}", false},
	{"rules: rw without m", "{\"allow\":true,\"access\":\"rw\"}", true},
	{"rules: access in another order", "{\"allow\":true,\"access\":\"mwr\"}", true},
	{"rules: m alone, as everyone has it", "{\"allow\":true,\"type\":\"c\",\"access\":\"m\"}",
	 false},
	{"rules: r alone", "{\"allow\":true,\"access\":\"rm\"}", false},
	{"rules: w alone", "{\"allow\":true,\"access\":\"wm\"}", false},
	{"rules: no access", "{\"allow\":true}", false},
	{"rules: empty access", "{\"allow\":true,\"access\":\"\"}", false},
	{"rules: deny m behind allow all", ALLOW_ALL ",{\"allow\":false,\"access\":\"m\"}", true},
	{"rules: no allow is a denial", "{\"access\":\"rwm\"}", false},
	{"rules: members in another order",
	 "{\"access\":\"rwm\",\"minor\":-1,\"type\":\"a\",\"allow\":true}", true},
	{"rules: unknown members", "{\"x\":1,\"allow\":true,\"access\":\"rwm\",\"y\":[]}", true},
	{"rules: one rule's members do not pass to the next",
	 "{\"allow\":true,\"type\":\"b\",\"access\":\"rwm\"},{\"allow\":true}", false},
	{"rules: nor does a number", ONE("false") "," ALLOW_ALL, true},
};

static void every_device_is_told_by_the_rules(void **state)
{
	const struct rule_case *row = *state;
	cleanup_arena arena = {0};
	struct spec spec;

	must_parse(
		&arena,
		arena_printf(&arena, "{\"linux\":{\"resources\":{\"devices\":[%s]}}}", row->rules),
		&spec);
	assert_int_equal(spec.every_device, row->every_device);
}

/* ---- devices ---- */

static void devices_are_read_as_they_stand(void **state)
{
	cleanup_arena arena = {0};
	struct spec spec;

	(void)state;
	must_parse(&arena,
		   "{\"linux\":{\"devices\":["
		   "{\"path\":\"/dev/infiniband/uverbs6\",\"type\":\"c\",\"major\":231,"
		   "\"minor\":198,\"fileMode\":438,\"uid\":0},"
		   "{\"type\":\"u\",\"major\":1},{\"type\":\"b\",\"path\":\"/dev/x\"},{},"
		   "{\"minor\":9223372036854775807,\"major\":-1,\"type\":\"cc\"}]}}",
		   &spec);
	assert_int_equal(spec.n_devices, 5);
	assert_string_equal(spec.devices[0].path, "/dev/infiniband/uverbs6");
	assert_true(spec.devices[0].character);
	assert_int_equal(spec.devices[0].major, 231);
	assert_int_equal(spec.devices[0].minor, 198);
	assert_true(spec.devices[1].character);
	assert_string_equal(spec.devices[1].path, "");
	assert_int_equal(spec.devices[1].major, 1);
	assert_int_equal(spec.devices[1].minor, -1);
	assert_false(spec.devices[2].character);
	assert_false(spec.devices[3].character);
	assert_int_equal(spec.devices[3].major, -1);
	assert_false(spec.devices[4].character);
	assert_true(spec.devices[4].minor == INT64_MAX);
	assert_false(spec.every_device);
}

/* ---- capabilities ---- */

#define CHOWN (UINT64_C(1) << 0)
#define IPC_LOCK (UINT64_C(1) << 14)

static const struct capability_case {
	const char *name;
	const char *sets;
	uint64_t want[SPEC_CAPABILITY_SETS]; /* bounding, effective, permitted, inheritable, ambient
					      */
} capability_cases[] = {
	{"capabilities: none", "{}", {0}},
	{"capabilities: null", "null", {0}},
	{"capabilities: null sets", "{\"bounding\":null,\"ambient\":null}", {0}},
	{"capabilities: each set is its own",
	 "{\"bounding\":[\"CAP_CHOWN\"],\"effective\":[\"CAP_IPC_LOCK\"],"
	 "\"permitted\":[\"CAP_CHOWN\",\"CAP_IPC_LOCK\"],\"inheritable\":[],"
	 "\"ambient\":[\"CAP_IPC_LOCK\"]}",
	 {CHOWN, IPC_LOCK, CHOWN | IPC_LOCK, 0, IPC_LOCK}},
	{"capabilities: inheritable", "{\"inheritable\":[\"CAP_CHOWN\"]}", {0, 0, 0, CHOWN, 0}},
	{"capabilities: one that is not known is skipped",
	 "{\"bounding\":[\"CAP_TOMORROW\",\"CAP_CHOWN\"]}",
	 {CHOWN}},
	{"capabilities: lower case is none", "{\"bounding\":[\"cap_chown\"]}", {0}},
	{"capabilities: a name with more behind it is none",
	 "{\"bounding\":[\"CAP_CHOWN \"]}",
	 {0}},
	{"capabilities: twice is once",
	 "{\"ambient\":[\"CAP_CHOWN\",\"CAP_CHOWN\"]}",
	 {0, 0, 0, 0, CHOWN}},
	{"capabilities: the last number",
	 "{\"ambient\":[\"CAP_CHECKPOINT_RESTORE\"]}",
	 {0, 0, 0, 0, UINT64_C(1) << 40}},
};

static void capability_sets_are_read(void **state)
{
	const struct capability_case *row = *state;
	cleanup_arena arena = {0};
	struct spec spec;

	must_parse(&arena, arena_printf(&arena, "{\"process\":{\"capabilities\":%s}}", row->sets),
		   &spec);
	for (int set = 0; set < SPEC_CAPABILITY_SETS; set++)
		assert_true(spec.capabilities[set] == row->want[set]);
}

/* ---- rlimits ---- */

#define MEMLOCK(soft, hard) "{\"type\":\"RLIMIT_MEMLOCK\",\"soft\":" soft ",\"hard\":" hard "}"
#define NOFILE "{\"type\":\"RLIMIT_NOFILE\",\"soft\":5,\"hard\":6}"

static const struct rlimit_case {
	const char *name;
	const char *rlimits;
	bool has;
	uint64_t soft;
	uint64_t hard;
} rlimit_cases[] = {
	{"rlimits: none", "[]", false, 0, 0},
	{"rlimits: null", "null", false, 0, 0},
	{"rlimits: others", "[" NOFILE "]", false, 0, 0},
	{"rlimits: memlock", "[" MEMLOCK("1", "2") "]", true, 1, 2},
	{"rlimits: memlock behind others", "[" NOFILE "," MEMLOCK("1", "2") "]", true, 1, 2},
	{"rlimits: memlock before others", "[" MEMLOCK("1", "2") "," NOFILE "]", true, 1, 2},
	{"rlimits: members in another order",
	 "[{\"hard\":2,\"soft\":1,\"type\":\"RLIMIT_MEMLOCK\"}]", true, 1, 2},
	{"rlimits: of several memlock the last holds",
	 "[" MEMLOCK("1", "2") "," NOFILE "," MEMLOCK("3", "4") "]", true, 3, 4},
	{"rlimits: 2^64-1", "[" MEMLOCK("18446744073709551615", "18446744073709551615") "]", true,
	 UINT64_MAX, UINT64_MAX},
	{"rlimits: 2^63", "[" MEMLOCK("9223372036854775808", "9223372036854775808") "]", true,
	 UINT64_C(1) << 63, UINT64_C(1) << 63},
	{"rlimits: memlock without numbers", "[{\"type\":\"RLIMIT_MEMLOCK\"}]", true, 0, 0},
	{"rlimits: no type", "[{\"soft\":1,\"hard\":2}]", false, 0, 0},
	{"rlimits: a longer type is another",
	 "[{\"type\":\"RLIMIT_MEMLOCKS\",\"soft\":1,\"hard\":2}]", false, 0, 0},
	{"rlimits: lower case is another", "[{\"type\":\"rlimit_memlock\",\"soft\":1,\"hard\":2}]",
	 false, 0, 0},
	{"rlimits: one entry's numbers do not pass to the next",
	 "[" NOFILE ",{\"type\":\"RLIMIT_MEMLOCK\",\"soft\":1}]", true, 1, 0},
};

static void memlock_is_found(void **state)
{
	const struct rlimit_case *row = *state;
	cleanup_arena arena = {0};
	struct spec spec;

	must_parse(&arena, arena_printf(&arena, "{\"process\":{\"rlimits\":%s}}", row->rlimits),
		   &spec);
	assert_int_equal(spec.has_memlock, row->has);
	assert_true(spec.memlock_soft == row->soft);
	assert_true(spec.memlock_hard == row->hard);
}

/* ---- memory limits ---- */

static const struct memory_case {
	const char *name;
	const char *resources;
	bool limit;
} memory_cases[] = {
	{"memory: no resources", "null", false},
	{"memory: none", "{}", false},
	{"memory: null", "{\"memory\":null,\"unified\":null}", false},
	{"memory: a limit", "{\"memory\":{\"limit\":536870912}}", true},
	{"memory: -1 is none", "{\"memory\":{\"limit\":-1}}", false},
	{"memory: 0 is none", "{\"memory\":{\"limit\":0}}", false},
	{"memory: limit null is none", "{\"memory\":{\"limit\":null}}", false},
	{"memory: swap alone is none", "{\"memory\":{\"swap\":536870912,\"reservation\":1}}",
	 false},
	{"memory: unified memory.max", "{\"unified\":{\"memory.max\":\"1073741824\"}}", true},
	{"memory: unified memory.max max is none", "{\"unified\":{\"memory.max\":\"max\"}}", false},
	{"memory: unified memory.high is none", "{\"unified\":{\"memory.high\":\"1\"}}", false},
	{"memory: either is enough",
	 "{\"memory\":{\"limit\":-1},\"unified\":{\"memory.max\":\"1\"}}", true},
	{"memory: either is enough, the other way",
	 "{\"unified\":{\"memory.max\":\"max\"},\"memory\":{\"limit\":1}}", true},
};

static void memory_limit_is_found(void **state)
{
	const struct memory_case *row = *state;
	cleanup_arena arena = {0};
	struct spec spec;

	must_parse(&arena, arena_printf(&arena, "{\"linux\":{\"resources\":%s}}", row->resources),
		   &spec);
	assert_int_equal(spec.memory_limit, row->limit);
}

/* ---- namespaces and mappings ---- */

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

static void namespaces_are_found(void **state)
{
	const struct namespace_case *row = *state;
	cleanup_arena arena = {0};
	struct spec spec;

	must_parse(&arena, arena_printf(&arena, "{\"linux\":{\"namespaces\":%s}}", row->namespaces),
		   &spec);
	assert_int_equal(spec.user_namespace, row->user);
	assert_int_equal(spec.network_namespace, row->network);
}

static void mappings_are_read(void **state)
{
	cleanup_arena arena = {0};
	struct spec spec;

	(void)state;
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

static void host_ids_are_those_of_the_mappings(void **state)
{
	static const struct spec_mapping map[] = {
		{0, 100000, 1000}, {2000, 5, 2}, {3000, 9, 0}, {UINT64_MAX, 77, 1}};
	const struct host_id_case *row = *state;
	uint64_t host = 0;

	assert_int_equal(spec_host_id(map, LENGTH(map), row->id, &host), row->found);
	assert_true(host == row->host);
	assert_false(spec_host_id(NULL, 0, row->id, &host));
}

/* ---- process.env, mounts, root ---- */

static void the_environment_keeps_its_order(void **state)
{
	cleanup_arena arena = {0};
	struct spec spec;

	(void)state;
	must_parse(&arena,
		   "{\"process\":{\"env\":[\"B=1\",\"A=\",\"B=2\",\"NOVALUE\",\"A=3\",\"C=x=y\","
		   "\"\",\"=z\"]}}",
		   &spec);
	assert_int_equal(spec.n_env, 8);
	assert_string_equal(spec.env[0], "B=1");
	assert_string_equal(spec.env[6], "");
	/* The first entry holds, as for getenv(3). */
	assert_string_equal(spec_getenv(&spec, "B"), "1");
	assert_string_equal(spec_getenv(&spec, "A"), "");
	assert_string_equal(spec_getenv(&spec, "C"), "x=y");
	assert_null(spec_getenv(&spec, "NOVALUE"));
	assert_null(spec_getenv(&spec, "NO"));
	assert_null(spec_getenv(&spec, "CC"));
	assert_null(spec_getenv(&(struct spec){0}, "A"));
}

static void mounts_and_root_are_read(void **state)
{
	cleanup_arena arena = {0};
	struct spec spec;

	(void)state;
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

/* ---- who it is ---- */

static void labels_say_who_it_is(void **state)
{
	cleanup_arena arena = {0};
	struct spec spec;

	(void)state;
	must_parse(
		&arena,
		"{\"annotations\":{\"io.kubernetes.cri-o.ContainerID\":\"0123\","
		"\"io.kubernetes.cri-o.SandboxID\":\"4567\","
		"\"io.kubernetes.cri-o.ContainerType\":\"container\","
		"\"io.kubernetes.container.name\":\"trainer\",\"io.kubernetes.pod.name\":\"p-0\","
		"\"io.kubernetes.pod.namespace\":\"team-a\","
		/* what a pod's author can forge is not looked at */
		"\"io.kubernetes.cri-o.Namespace\":\"kube-system\","
		"\"io.kubernetes.cri-o.KubeName\":\"x\"}}",
		&spec);
	assert_string_equal(spec.id, "0123");
	assert_string_equal(spec.sandbox_id, "4567");
	assert_string_equal(spec.name, "trainer");
	assert_string_equal(spec.pod, "p-0");
	assert_string_equal(spec.pod_namespace, "team-a");
	assert_false(spec.sandbox);
	assert_int_equal(spec.n_annotations, 0);
}

static void a_sandbox_is_known_by_its_type(void **state)
{
	cleanup_arena arena = {0};
	struct spec spec;

	(void)state;
	must_parse(&arena, "{\"annotations\":{\"io.kubernetes.cri-o.ContainerType\":\"sandbox\"}}",
		   &spec);
	assert_true(spec.sandbox);
	must_parse(&arena,
		   "{\"annotations\":{\"io.kubernetes.cri-o.ContainerType\":\"sandboxes\"}}",
		   &spec);
	assert_false(spec.sandbox);
}

static void our_annotations_keep_name_value_and_line(void **state)
{
	cleanup_arena arena = {0};
	const struct spec_annotation *inject;
	struct spec spec;

	(void)state;
	must_parse(&arena,
		   "{\"annotations\":{\n\"app\":\"x\",\n\"oci-rdma-hook.io/inject\":\"true\",\n"
		   "\"xoci-rdma-hook.io/nccl\":\"false\",\"oci-rdma-hook.io/containers\":\"a,b\"}}",
		   &spec);
	assert_int_equal(spec.n_annotations, 2);
	inject = spec_annotation(&spec, "inject");
	assert_non_null(inject);
	assert_string_equal(inject->value, "true");
	assert_int_equal(inject->line, 3);
	assert_string_equal(spec.annotations[1].name, "containers");
	assert_int_equal(spec.annotations[1].line, 4);
	assert_null(spec_annotation(&spec, "nccl"));
	assert_null(spec_annotation(&spec, "injec"));
}

static void check_annotation_count(int n)
{
	cleanup_arena arena = {0};
	const char *text = "";
	struct spec spec;
	struct err err = {0};

	for (int i = 0; i < n; i++)
		text = arena_printf(&arena, "%s%s\"oci-rdma-hook.io/a%d\":\"x\"", text,
				    i ? "," : "", i);
	text = arena_printf(&arena, "{\"annotations\":{%s}}", text);
	assert_int_equal(parse(&arena, text, &spec, &err), n > SPEC_ANNOTATIONS_MAX ? -1 : 0);
	if (n > SPEC_ANNOTATIONS_MAX)
		assert_has(err.text, "more than 64 annotations oci-rdma-hook.io/");
}

static void our_annotations_are_bounded(void **state)
{
	(void)state;
	check_annotation_count(SPEC_ANNOTATIONS_MAX);
	check_annotation_count(SPEC_ANNOTATIONS_MAX + 1);
}

/* ---- what is missing, and what is wrong ---- */

static const struct empty_case {
	const char *name;
	const char *text;
} empty_cases[] = {
	{"empty: {}", "{}"},
	{"empty: null parts",
	 "{\"process\":null,\"root\":null,\"mounts\":null,\"annotations\":null,\"linux\":null}"},
	{"empty: null arrays",
	 "{\"process\":{\"env\":null,\"rlimits\":null,\"capabilities\":null},\"mounts\":null,"
	 "\"linux\":{\"devices\":null,\"resources\":null,\"namespaces\":null,\"uidMappings\":null,"
	 "\"gidMappings\":null}}"},
	{"empty: null arrays below",
	 "{\"linux\":{\"resources\":{\"devices\":null,\"memory\":null,\"unified\":null}}}"},
	{"empty: empty arrays",
	 "{\"process\":{\"env\":[],\"rlimits\":[],\"capabilities\":{}},\"mounts\":[],"
	 "\"linux\":{\"devices\":[],\"resources\":{},\"namespaces\":[],\"uidMappings\":[],"
	 "\"gidMappings\":[]}}"},
	{"empty: parts that are not ours, of any type",
	 "{\"ociVersion\":1,\"hostname\":[],\"hooks\":\"x\",\"solaris\":{},\"vm\":null,"
	 "\"process\":{\"args\":7,\"user\":[]},\"linux\":{\"mountLabel\":3,\"rdma\":{\"mlx5_0\":{}}"
	 "}"
	 "}"},
};

static void what_is_missing_is_nothing(void **state)
{
	const struct empty_case *row = *state;
	cleanup_arena arena = {0};
	struct spec spec;

	must_parse(&arena, row->text, &spec);
	assert_int_equal(spec.n_env + spec.n_mounts + spec.n_devices + spec.n_annotations, 0);
	assert_int_equal(spec.n_uid_map + spec.n_gid_map, 0);
	assert_false(spec.has_memlock || spec.memory_limit || spec.every_device);
	assert_false(spec.user_namespace || spec.network_namespace || spec.sandbox);
	assert_null(spec.root);
	assert_null(spec.cgroups_path);
	assert_null(spec.pod_namespace);
	for (int set = 0; set < SPEC_CAPABILITY_SETS; set++)
		assert_true(spec.capabilities[set] == 0);
}

static const struct bad_case {
	const char *name;
	const char *text;
	const char *error;
} bad_cases[] = {
	{"wrong: no object", "[]", "config.json: line 1: expected an object, found an array"},
	{"wrong: nothing", "", "config.json: the text ends before its value does"},
	{"wrong: comments", "{} // x", "config.json: line 1: "},
	{"wrong: env, a number", "{\"process\":{\"env\":[\"A=1\",\n2]}}",
	 "config.json: line 2: process.env[1]: expected a string, found a number"},
	{"wrong: env, null", "{\"process\":{\"env\":[null]}}",
	 "config.json: line 1: process.env[0]: expected a string, found null"},
	{"wrong: env, an object", "{\"process\":{\"env\":{\"A\":\"1\"}}}",
	 "config.json: line 1: process.env: expected an array, found an object"},
	{"wrong: env, a NUL", "{\"process\":{\"env\":[\"A=1\\u0000\"]}}",
	 "config.json: line 1: process.env[0]: holds a NUL character"},
	{"wrong: env twice", "{\"process\":{\"env\":[],\"env\":[]}}",
	 "config.json: line 1: process.env: occurs twice"},
	{"wrong: process twice", "{\"process\":{},\n\"process\":{}}",
	 "config.json: line 2: process: occurs twice"},
	{"wrong: linux twice", "{\"linux\":{},\"linux\":{}}", "linux: occurs twice"},
	{"wrong: linux.devices twice", "{\"linux\":{\"devices\":[],\"devices\":[]}}",
	 "config.json: line 1: linux.devices: occurs twice"},
	{"wrong: a device's number twice", "{\"linux\":{\"devices\":[{\"major\":1,\"major\":2}]}}",
	 "config.json: line 1: linux.devices[0].major: occurs twice"},
	{"wrong: a rule's access twice",
	 "{\"linux\":{\"resources\":{\"devices\":[{\"access\":\"r\",\"access\":\"rwm\"}]}}}",
	 "config.json: line 1: linux.resources.devices[0].access: occurs twice"},
	{"wrong: root.path twice", "{\"root\":{\"path\":\"/a\",\"path\":\"/b\"}}",
	 "root.path: occurs twice"},
	{"wrong: root.path, a number", "{\"root\":{\"path\":1}}", "root.path: expected a string"},
	{"wrong: root.path, a NUL", "{\"root\":{\"path\":\"/a\\u0000/b\"}}", "holds a NUL"},
	{"wrong: device number, a string", "{\"linux\":{\"devices\":[{\"major\":\"231\"}]}}",
	 "config.json: line 1: linux.devices[0].major: expected a number, found a string"},
	{"wrong: device number 1.0", "{\"linux\":{\"devices\":[{},{\"minor\":1.0}]}}",
	 "config.json: line 1: linux.devices[1].minor: 1.0 is not an integer"},
	{"wrong: device number 2^63", "{\"linux\":{\"devices\":[{\"minor\":9223372036854775808}]}}",
	 "is not an integer in the range of 64 bits"},
	{"wrong: device path, a NUL", "{\"linux\":{\"devices\":[{\"path\":\"/dev\\u0000x\"}]}}",
	 "linux.devices[0].path: holds a NUL character"},
	{"wrong: rlimit -1",
	 "{\"process\":{\"rlimits\":[{\"type\":\"RLIMIT_MEMLOCK\",\"soft\":-1,\"hard\":-1}]}}",
	 "config.json: line 1: process.rlimits[0].soft: -1 is not an integer from 0 to 2^64-1"},
	{"wrong: rlimit 2^64",
	 "{\"process\":{\"rlimits\":[{\"type\":\"x\",\"hard\":18446744073709551616}]}}",
	 "process.rlimits[0].hard: 18446744073709551616 is not an integer"},
	{"wrong: capability, a number", "{\"process\":{\"capabilities\":{\"ambient\":[14]}}}",
	 "process.capabilities.ambient[0]: expected a string, found a number"},
	{"wrong: memory limit, a string",
	 "{\"linux\":{\"resources\":{\"memory\":{\"limit\":\"1Gi\"}}}}",
	 "linux.resources.memory.limit: expected a number"},
	{"wrong: mount, a string", "{\"mounts\":[\"/proc\"]}",
	 "config.json: line 1: mounts[0]: expected an object, found a string"},
	{"wrong: our annotation, a boolean", "{\"annotations\":{\"oci-rdma-hook.io/inject\":true}}",
	 "config.json: line 1: annotations.oci-rdma-hook.io/inject: expected a string"},
	{"wrong: our annotation, an object", "{\"annotations\":{\"oci-rdma-hook.io/inject\":{}}}",
	 "annotations.oci-rdma-hook.io/inject: expected a string"},
	{"wrong: our annotation twice",
	 "{\"annotations\":{\"oci-rdma-hook.io/inject\":\"true\",\n"
	 "\"oci-rdma-hook.io/inject\":\"false\"}}",
	 "config.json: line 2: annotations.oci-rdma-hook.io/inject: occurs twice"},
	{"wrong: our annotation, a NUL",
	 "{\"annotations\":{\"oci-rdma-hook.io/inject\":\"true\\u0000\"}}", "holds a NUL"},
	{"wrong: the namespace twice",
	 "{\"annotations\":{\"io.kubernetes.pod.namespace\":\"team-a\",\n"
	 "\"io.kubernetes.pod.namespace\":\"kube-system\"}}",
	 "config.json: line 2: annotations.io.kubernetes.pod.namespace: occurs twice"},
	{"wrong: the container type twice",
	 "{\"annotations\":{\"io.kubernetes.cri-o.ContainerType\":\"sandbox\","
	 "\"io.kubernetes.cri-o.ContainerType\":\"container\"}}",
	 "annotations.io.kubernetes.cri-o.ContainerType: occurs twice"},
	{"wrong: a line break in the pod's name",
	 "{\"annotations\":{\"io.kubernetes.pod.name\":\"p\\ngrant: all\"}}", "control character"},
	{"wrong: an escape in the namespace",
	 "{\"annotations\":{\"io.kubernetes.pod.namespace\":\"\\u001b[2J\"}}", "control character"},
	{"wrong: text behind it", "{}{}", "config.json: line 1: parse error: trailing garbage"},
};

static void wrong_is_refused(void **state)
{
	const struct bad_case *row = *state;
	cleanup_arena arena = {0};
	struct spec spec = {.n_env = 4711};
	struct err err = {0};

	assert_int_equal(parse(&arena, row->text, &spec, &err), -1);
	assert_has(err.text, row->error);
	assert_has(err.text, "config.json: ");
	assert_one_line(&err);
	assert_int_equal(spec.n_env, 4711);
}

/* ---- a whole one ---- */

/* In the order and with the oddities of CRI-O 1.36 */
static const char whole[] =
	"{\"ociVersion\":\"1.2.1\",\"process\":{\"user\":{\"uid\":1000,\"gid\":0},"
	"\"args\":[\"sh\",\"-c\",\"sleep \\\"1\\\"\"],\"env\":[\"PATH=/bin\",\"TERM=xterm\","
	"\"PCIDEVICE_OPENSHIFT_IO_ENO5NP0RDMA=0000:3b:02.6\",\"PCIDEVICE_OPENSHIFT_IO_ENO5NP0RDMA_"
	"INFO="
	"{\\\"0000:3b:02.6\\\":{\\\"rdma\\\":{\\\"rdma_dev\\\":\\\"mlx5_6\\\"}}}\"],\"cwd\":\"/\","
	"\"capabilities\":{\"bounding\":[\"CAP_CHOWN\"],\"effective\":[\"CAP_CHOWN\"],"
	"\"permitted\":[\"CAP_CHOWN\"]},\"rlimits\":[{\"type\":\"RLIMIT_MEMLOCK\",\"hard\":8388608,"
	"\"soft\":8388608}],\"oomScoreAdj\":-997},\n\"root\":{\"path\":\"/merged\"},\"mounts\":["
	"{\"destination\":\"/proc\",\"type\":\"proc\"},{\"destination\":\"/etc/hosts\"}],\n"
	"\"annotations\":{\"io.kubernetes.cri-o.Volumes\":\"[]\","
	"\"io.kubernetes.pod.namespace\":\"team-a\",\"oci-rdma-hook.io/inject\":\"true\"},\n"
	"\"linux\":{\"uidMappings\":[{\"containerID\":0,\"hostID\":1,\"size\":2}],"
	"\"resources\":{\"devices\":[{\"allow\":false,\"access\":\"rwm\"}],"
	"\"memory\":{\"limit\":536870912},\"cpu\":{\"shares\":512}},\"cgroupsPath\":\"a.slice:crio:"
	"x\","
	"\"namespaces\":[{\"type\":\"user\"}],\"devices\":[{\"path\":\"/dev/infiniband/uverbs6\","
	"\"type\":\"c\",\"major\":231,\"minor\":198}]}}";

static void a_whole_one_is_read(void **state)
{
	cleanup_arena arena = {0};
	struct spec spec;

	(void)state;
	must_parse(&arena, whole, &spec);
	assert_int_equal(spec.n_env, 4);
	assert_string_equal(spec_getenv(&spec, "PCIDEVICE_OPENSHIFT_IO_ENO5NP0RDMA_INFO"),
			    "{\"0000:3b:02.6\":{\"rdma\":{\"rdma_dev\":\"mlx5_6\"}}}");
	assert_true(spec.has_memlock);
	assert_int_equal(spec.memlock_soft, 8388608);
	assert_true(spec.capabilities[SPEC_PERMITTED] == CHOWN);
	assert_string_equal(spec.root, "/merged");
	assert_int_equal(spec.n_mounts, 2);
	assert_string_equal(spec.pod_namespace, "team-a");
	assert_int_equal(spec.n_annotations, 1);
	assert_int_equal(spec.n_devices, 1);
	assert_false(spec.every_device);
	assert_true(spec.memory_limit);
	assert_string_equal(spec.cgroups_path, "a.slice:crio:x");
	assert_true(spec.user_namespace);
	assert_int_equal(spec.n_uid_map, 1);
}

/* exec --process gives config.json's process object alone. */
static void a_process_alone_is_read(void **state)
{
	static const char text[] = "{\"args\":[\"sh\"],\"env\":[\"A=1\"],\"rlimits\":[" MEMLOCK(
		"1", "2") "],\"capabilities\":{\"ambient\":[\"CAP_CHOWN\"]}}";
	cleanup_arena arena = {0};
	struct spec spec;
	struct err err = {0};

	(void)state;
	assert_int_equal(
		spec_parse_process(&arena, "process.json", text, strlen(text), &spec, &err), 0);
	assert_string_equal(spec_getenv(&spec, "A"), "1");
	assert_true(spec.has_memlock);
	assert_int_equal(spec.memlock_hard, 2);
	assert_true(spec.capabilities[SPEC_AMBIENT] == CHOWN);
	assert_int_equal(
		spec_parse_process(&arena, "process.json", "{\"env\":[1]}", 11, &spec, &err), -1);
	assert_string_equal(err.text,
			    "process.json: line 1: env[0]: expected a string, found a number");
}

static void cut_off_at_every_byte_is_an_error(void **state)
{
	(void)state;
	for (size_t len = 0; len < strlen(whole); len++) {
		cleanup_arena arena = {0};
		char *exact = unit_exact(whole, len);
		struct spec spec;
		struct err err = {0};

		assert_int_equal(spec_parse(&arena, "config.json", exact, len, &spec, &err), -1);
		assert_has(err.text, "config.json: ");
		assert_one_line(&err);
		free(exact);
	}
}

static void add_single_tests(struct unit_suite *suite)
{
	unit_add(suite, "devices: as they stand, what is not said is -1",
		 devices_are_read_as_they_stand, NULL);
	unit_add(suite, "mappings: every entry, what is not said is 0", mappings_are_read, NULL);
	unit_add(suite, "env: in its order, the first entry of a name holds",
		 the_environment_keeps_its_order, NULL);
	unit_add(suite, "mounts and root are read", mounts_and_root_are_read, NULL);
	unit_add(suite, "labels: who it is, by what the pod's author cannot forge",
		 labels_say_who_it_is, NULL);
	unit_add(suite, "labels: a sandbox is known by its type", a_sandbox_is_known_by_its_type,
		 NULL);
	unit_add(suite, "annotations: ours with name, value and line",
		 our_annotations_keep_name_value_and_line, NULL);
	unit_add(suite, "annotations: 64 of ours, not 65", our_annotations_are_bounded, NULL);
	unit_add(suite, "whole: a container's config.json", a_whole_one_is_read, NULL);
	unit_add(suite, "whole: a process alone, as exec gives it", a_process_alone_is_read, NULL);
	unit_add(suite, "whole: cut off at every byte is an error",
		 cut_off_at_every_byte_is_an_error, NULL);
}

int main(void)
{
	static struct unit_suite suite;

	UNIT_TABLE(&suite, every_device_is_told_by_the_rules, rule_cases);
	UNIT_TABLE(&suite, capability_sets_are_read, capability_cases);
	UNIT_TABLE(&suite, memlock_is_found, rlimit_cases);
	UNIT_TABLE(&suite, memory_limit_is_found, memory_cases);
	UNIT_TABLE(&suite, namespaces_are_found, namespace_cases);
	UNIT_TABLE(&suite, host_ids_are_those_of_the_mappings, host_id_cases);
	UNIT_TABLE(&suite, what_is_missing_is_nothing, empty_cases);
	UNIT_TABLE(&suite, wrong_is_refused, bad_cases);
	add_single_tests(&suite);
	return unit_run(&suite, "spec");
}
