/* SPDX-License-Identifier: Apache-2.0 */
/* Missing and wrong members */
#include "suite.h"

static const struct empty_case {
	const char *name;
	const char *text;
} empty_cases[] = {
	{"empty: {}", "{}"},
	{"empty: null parts",
	 "{\"process\":null,\"root\":null,\"mounts\":null,\"annotations\":null,\"linux\":null}"},
	{"empty: null arrays",
	 "{\"process\":{\"env\":null,\"rlimits\":null,\"capabilities\":null},\"mounts\":null,"
	 "\"linux\":{\"devices\":null,\"resources\":null,\"namespaces\":null}}"},
	{"empty: null arrays below",
	 "{\"linux\":{\"resources\":{\"devices\":null,\"memory\":null,\"unified\":null}}}"},
	{"empty: empty arrays",
	 "{\"process\":{\"env\":[],\"rlimits\":[],\"capabilities\":{}},\"mounts\":[],"
	 "\"linux\":{\"devices\":[],\"resources\":{},\"namespaces\":[]}}"},
	{"empty: parts that are not ours, of any type",
	 "{\"ociVersion\":1,\"hostname\":[],\"hooks\":\"x\",\"solaris\":{},\"vm\":null,"
	 "\"process\":{\"args\":7,\"user\":[]},\"linux\":{\"mountLabel\":3,\"rdma\":{\"mlx5_0\":{}}"
	 "}"
	 "}"},
};

UNIT_ROWS(empty_cases)
{
	cleanup_arena arena = {0};
	struct spec spec;

	must_parse(&arena, row->text, &spec);
	assert_int_equal(spec.n_env + spec.n_mounts + spec.n_devices + spec.n_annotations, 0);
	assert_false(spec.has_memlock || spec.memory_limit || spec.every_device);
	assert_false(spec.user_namespace || spec.network_namespace || spec.identity.sandbox);
	assert_null(spec.root);
	assert_null(spec.cgroups_path);
	assert_null(spec.identity.pod_namespace);
	for (int set = 0; set < SPEC_CAPABILITY_SETS; set++)
		assert_true(spec.capabilities[set] == 0);
}

static const struct bad_case {
	const char *name;
	const char *text;
	const char *error;
} bad_cases[] = {
	{"wrong: no object", "[]", "config.json: line 1: expected an object, found an array"},
	{"wrong: nothing", "", "config.json: is empty"},
	{"wrong: comments", "{} // x", "config.json: line 1: "},
	{"wrong: env, a number", "{\"process\":{\"env\":[\"A=1\",\n2]}}",
	 "config.json: line 2: process.env[1]: expected a string, found a number"},
	{"wrong: env, null", "{\"process\":{\"env\":[null]}}",
	 "config.json: line 1: process.env[0]: expected a string, found null"},
	{"wrong: env, an object", "{\"process\":{\"env\":{\"A\":\"1\"}}}",
	 "config.json: line 1: process.env: expected an array, found an object"},
	{"wrong: env, a NUL", "{\"process\":{\"env\":[\"A=1\\u0000\"]}}",
	 "config.json: line 1: process.env[0]: contains a NUL"},
	{"wrong: env twice", "{\"process\":{\"env\":[],\"env\":[]}}",
	 "config.json: line 1: process.env: occurs twice"},
	{"wrong: root.path, a number", "{\"root\":{\"path\":1}}", "root.path: expected a string"},
	{"wrong: root.path, a NUL", "{\"root\":{\"path\":\"/a\\u0000/b\"}}", "contains a NUL"},
	{"wrong: device number, a string", "{\"linux\":{\"devices\":[{\"major\":\"231\"}]}}",
	 "config.json: line 1: linux.devices[0].major: expected a number, found a string"},
	{"wrong: device number 1.0", "{\"linux\":{\"devices\":[{},{\"minor\":1.0}]}}",
	 "config.json: line 1: linux.devices[1].minor: 1.0 is not an integer"},
	{"wrong: device number 2^63", "{\"linux\":{\"devices\":[{\"minor\":9223372036854775808}]}}",
	 "is not an integer in the range of 64 bits"},
	{"wrong: device path, a NUL", "{\"linux\":{\"devices\":[{\"path\":\"/dev\\u0000x\"}]}}",
	 "linux.devices[0].path: contains a NUL"},
	{"wrong: rlimit -1",
	 "{\"process\":{\"rlimits\":[{\"type\":\"RLIMIT_MEMLOCK\",\"soft\":-1,\"hard\":-1}]}}",
	 "config.json: line 1: process.rlimits[0].soft: -1 is not an integer from 0 to 2^64-1"},
	{"wrong: rlimit 2^64",
	 "{\"process\":{\"rlimits\":[{\"type\":\"RLIMIT_MEMLOCK\",\"hard\":18446744073709551616}]}"
	 "}",
	 "process.rlimits[0].hard: 18446744073709551616 is not an integer from 0 to 2^64-1"},
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
	 "{\"annotations\":{\"oci-rdma-hook.io/inject\":\"true\\u0000\"}}", "contains a NUL"},
	{"wrong: the namespace twice",
	 "{\"annotations\":{\"io.kubernetes.pod.namespace\":\"team-a\",\n"
	 "\"io.kubernetes.pod.namespace\":\"kube-system\"}}",
	 "config.json: line 2: annotations.io.kubernetes.pod.namespace: occurs twice"},
	{"wrong: the container type twice",
	 "{\"annotations\":{\"io.kubernetes.cri-o.ContainerType\":\"sandbox\","
	 "\"io.kubernetes.cri-o.ContainerType\":\"container\"}}",
	 "annotations.io.kubernetes.cri-o.ContainerType: occurs twice"},
	{"wrong: a line break in the pod's name",
	 "{\"linux\":{\"cgroupsPath\":\"/crio-1\"},"
	 "\"annotations\":{\"io.container.manager\":\"cri-o\","
	 "\"io.kubernetes.cri-o.ContainerID\":\"1\","
	 "\"io.kubernetes.pod.name\":\"p\\ngrant: all\"}}",
	 "control character"},
	{"wrong: a line break in the container's id",
	 "{\"linux\":{\"cgroupsPath\":\"/crio-1\\n2\"},"
	 "\"annotations\":{\"io.container.manager\":\"cri-o\","
	 "\"io.kubernetes.cri-o.ContainerID\":\"1\\n2\"}}",
	 "control character"},
	{"wrong: a line break in the sandbox's id",
	 "{\"root\":{\"path\":\"rootfs\"},"
	 "\"annotations\":{\"io.kubernetes.cri.sandbox-id\":\"1\\n2\"}}",
	 "control character"},
	{"wrong: a line break in the container's name",
	 "{\"root\":{\"path\":\"rootfs\"},"
	 "\"annotations\":{\"io.kubernetes.cri.container-name\":\"1\\n2\"}}",
	 "control character"},
	{"wrong: an escape in the namespace",
	 "{\"root\":{\"path\":\"rootfs\"},"
	 "\"annotations\":{\"io.kubernetes.cri.container-type\":\"container\","
	 "\"io.kubernetes.cri.sandbox-namespace\":\"\\u001b[2J\"}}",
	 "control character"},
	{"wrong: rlimits, an object", "{\"process\":{\"rlimits\":{}}}",
	 "process.rlimits: expected an array"},
	{"wrong: process, an array", "{\"process\":[]}", "process: expected an object"},
	{"wrong: root, a string", "{\"root\":\"rootfs\"}", "root: expected an object"},
	{"wrong: annotations, an array", "{\"annotations\":[]}", "annotations: expected an object"},
	{"wrong: mounts, an object", "{\"mounts\":{}}", "mounts: expected an array"},
	{"wrong: a mount's destination", "{\"mounts\":[{\"destination\":7}]}",
	 "mounts[0].destination: expected a string"},
	{"wrong: linux, an array", "{\"linux\":[]}", "linux: expected an object"},
	{"wrong: devices, an object", "{\"linux\":{\"devices\":{}}}",
	 "linux.devices: expected an array"},
	{"wrong: device type", "{\"linux\":{\"devices\":[{\"type\":7}]}}",
	 "linux.devices[0].type: expected a string"},
	{"wrong: resources, an array", "{\"linux\":{\"resources\":[]}}",
	 "linux.resources: expected an object"},
	{"wrong: rules, an object", "{\"linux\":{\"resources\":{\"devices\":{}}}}",
	 "linux.resources.devices: expected an array"},
	{"wrong: a rule's allow",
	 "{\"linux\":{\"resources\":{\"devices\":[{\"allow\":\"true\"}]}}}",
	 "linux.resources.devices[0].allow: expected"},
	{"wrong: namespaces, an object", "{\"linux\":{\"namespaces\":{}}}",
	 "linux.namespaces: expected an array"},
	{"wrong: the pod's namespace, a number",
	 "{\"annotations\":{\"io.kubernetes.pod.namespace\":7}}",
	 "annotations.io.kubernetes.pod.namespace: expected a string"},
	{"wrong: text behind it", "{}{}", "config.json: line 1: parse error: trailing garbage"},
};

UNIT_ROWS(bad_cases)
{
	WITH_ARENA;
	struct spec spec = {.n_env = 4711};

	assert_int_equal(parse(&arena, row->text, &spec, &err), -1);
	assert_has(err.text, row->error);
	assert_has(err.text, "config.json: ");
	assert_one_line(&err);
	assert_int_equal(spec.n_env, 4711);
}
