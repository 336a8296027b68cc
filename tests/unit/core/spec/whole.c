/* SPDX-License-Identifier: Apache-2.0 */
/* A whole config.json, and cut ones */
#include "suite.h"

/* As CRI-O 1.36 writes it */
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
	"\"io.container.manager\":\"cri-o\",\"io.kubernetes.cri-o.ContainerID\":\"x\","
	"\"io.kubernetes.cri-o.ContainerType\":\"container\","
	"\"io.kubernetes.pod.namespace\":\"team-a\",\"oci-rdma-hook.io/inject\":\"true\"},\n"
	"\"linux\":{\"uidMappings\":[{\"containerID\":0,\"hostID\":1,\"size\":2}],"
	"\"resources\":{\"devices\":[{\"allow\":false,\"access\":\"rwm\"}],"
	"\"memory\":{\"limit\":536870912},\"cpu\":{\"shares\":512}},\"cgroupsPath\":\"a.slice:crio:"
	"x\","
	"\"namespaces\":[{\"type\":\"user\"}],\"devices\":[{\"path\":\"/dev/infiniband/uverbs6\","
	"\"type\":\"c\",\"major\":231,\"minor\":198}]}}";

UNIT_TEST("whole: a container's config.json")
{
	cleanup_arena arena = {0};
	struct spec spec;

	must_parse(&arena, whole, &spec);
	assert_int_equal(spec.n_env, 4);
	assert_string_equal(spec_getenv(&spec, "PCIDEVICE_OPENSHIFT_IO_ENO5NP0RDMA_INFO"),
			    "{\"0000:3b:02.6\":{\"rdma\":{\"rdma_dev\":\"mlx5_6\"}}}");
	assert_true(spec.has_memlock);
	assert_int_equal(spec.memlock_soft, 8388608);
	assert_true(spec.capabilities[SPEC_PERMITTED] == CHOWN);
	assert_string_equal(spec.root, "/merged");
	assert_int_equal(spec.n_mounts, 2);
	assert_string_equal(spec.identity.pod_namespace, "team-a");
	assert_int_equal(spec.n_annotations, 1);
	assert_int_equal(spec.n_devices, 1);
	assert_false(spec.every_device);
	assert_true(spec.memory_limit);
	assert_string_equal(spec.cgroups_path, "a.slice:crio:x");
	assert_true(spec.user_namespace);
}

UNIT_TEST("whole: cut off at every byte is an error")
{
	for (size_t len = 0; len < strlen(whole); len++) {
		WITH_ARENA;
		char *exact = unit_exact(whole, len);
		struct spec spec;

		assert_int_equal(spec_parse(&arena, "config.json", exact, len, &spec, &err), -1);
		assert_has(err.text, "config.json: ");
		assert_one_line(&err);
		free(exact);
	}
}
