/* SPDX-License-Identifier: Apache-2.0 */
/* Whose container? By its engine's annotations, not its author's */
#include "tests/unit/unit.h"

#include "core/spec/spec.h"

#define MANAGER(name) "\"io.container.manager\":\"" name "\","
#define CRIO                                                                                       \
	MANAGER("cri-o")                                                                           \
	"\"io.kubernetes.cri-o.ContainerType\":\"container\","                                     \
	"\"io.kubernetes.cri-o.ContainerID\":\"c0\",\"io.kubernetes.cri-o.SandboxID\":\"s0\""
#define LABELS                                                                                     \
	"\"io.kubernetes.container.name\":\"trainer\",\"io.kubernetes.pod.name\":\"p-0\","         \
	"\"io.kubernetes.pod.namespace\":\"team-a\",\"io.kubernetes.pod.uid\":\"u0\""
#define CONTAINERD                                                                                 \
	"\"io.kubernetes.cri.container-type\":\"container\","                                      \
	"\"io.kubernetes.cri.container-name\":\"worker\","                                         \
	"\"io.kubernetes.cri.sandbox-name\":\"q-0\","                                              \
	"\"io.kubernetes.cri.sandbox-namespace\":\"team-b\","                                      \
	"\"io.kubernetes.cri.sandbox-id\":\"s1\",\"io.kubernetes.cri.sandbox-uid\":\"u1\""
#define OTHERS                                                                                     \
	"\"io.kubernetes.container.hash\":\"1\",\"io.kubernetes.cri.image-name\":\"i\","           \
	"\"io.kubernetes.cri-o.Namespace\":\"kube-system\",\"io.kubernetes.cri-o.userns-mode\":"   \
	"\"auto\""

/* Cgroup and root as each engine writes them */
#define MADE(cgroup, root)                                                                         \
	"\"linux\":{\"cgroupsPath\":\"" cgroup "\"},\"root\":{\"path\":\"" root "\"}"
#define BY_CRIO MADE("/kubepods/pod1/crio-c0", "/var/lib/containers/storage/overlay/1/merged")
#define BY_CONTAINERD MADE("/kubepods/pod1/w0", "rootfs")
#define BY_PODMAN MADE("machine.slice:libpod:c0", "/var/lib/containers/storage/overlay/1/merged")
#define BY_DOCKER MADE("/docker/c0", "/var/lib/docker/overlay2/1/merged")
#define NOBODY LIST(.doubt = "annotations of Kubernetes, but")
#define TWO_ENGINES LIST(.doubt = "annotations of two engines")
#define TRAINER                                                                                    \
	LIST(.id = "c0", .name = "trainer", .pod = "p-0", .pod_namespace = "team-a",               \
	     .pod_uid = "u0", .sandbox_id = "s0")
#define WORKER                                                                                     \
	LIST(.name = "worker", .pod = "q-0", .pod_namespace = "team-b", .pod_uid = "u1",           \
	     .sandbox_id = "s1")

static const struct identity_case {
	const char *name;
	const char *annotations;
	const char *made; /* NULL: CRI-O if io.container.manager says so, else containerd */
	struct identity want;
} identity_cases[] = {
	{"nobody: no annotation", "", NULL, {0}},
	{"nobody: annotations that name nobody", OTHERS, NULL, {0}},
	{"CRI-O: its keys and the kubelet's labels", CRIO "," LABELS, NULL, TRAINER},
	{"CRI-O: what its authors may write changes nothing", CRIO "," LABELS "," OTHERS, NULL,
	 TRAINER},
	{"containerd: its keys", CONTAINERD, NULL, WORKER},
	{"containerd: what its authors may write changes nothing", CONTAINERD "," OTHERS, NULL,
	 WORKER},
	{"CRI-O: the pod's uid by containerd's key",
	 CRIO "," LABELS ",\"io.kubernetes.cri.sandbox-uid\":\"u2\"", NULL, TRAINER},
	{"containerd: the pod's uid by the kubelet's label",
	 CONTAINERD ",\"io.kubernetes.pod.uid\":\"u2\"", NULL, WORKER},
	{"containerd: a sandbox",
	 "\"io.kubernetes.cri.container-type\":\"sandbox\","
	 "\"io.kubernetes.cri.sandbox-namespace\":\"team-b\"",
	 NULL, LIST(.pod_namespace = "team-b", .sandbox = true)},
	{"containerd: a type of another word is no sandbox",
	 "\"io.kubernetes.cri.container-type\":\"sandboxes\"",
	 NULL,
	 {0}},
	{"two engines: the whole of both", CRIO "," LABELS "," CONTAINERD, NULL, TWO_ENGINES},
	{"two engines: a label on containerd",
	 CONTAINERD ",\"io.kubernetes.pod.namespace\":\"team-a\"", NULL, TWO_ENGINES},
	{"two engines: a container's name on containerd",
	 CONTAINERD ",\"io.kubernetes.container.name\":\"trainer\"", NULL, TWO_ENGINES},
	{"two engines: a pod's name on containerd",
	 CONTAINERD ",\"io.kubernetes.pod.name\":\"p-0\"", NULL, TWO_ENGINES},
	{"two engines: CRI-O's type on containerd",
	 CONTAINERD ",\"io.kubernetes.cri-o.ContainerType\":\"container\"", NULL, TWO_ENGINES},
	{"two engines: CRI-O's id on containerd",
	 CONTAINERD ",\"io.kubernetes.cri-o.ContainerID\":\"c0\"", NULL, TWO_ENGINES},
	{"two engines: CRI-O's sandbox on containerd",
	 CONTAINERD ",\"io.kubernetes.cri-o.SandboxID\":\"s0\"", NULL, TWO_ENGINES},
	{"two engines: containerd's namespace on CRI-O",
	 CRIO "," LABELS ",\"io.kubernetes.cri.sandbox-namespace\":\"team-b\"", NULL, TWO_ENGINES},
	{"two engines: containerd's container name on CRI-O",
	 CRIO "," LABELS ",\"io.kubernetes.cri.container-name\":\"worker\"", NULL, TWO_ENGINES},
	{"two engines: containerd's pod on CRI-O",
	 CRIO "," LABELS ",\"io.kubernetes.cri.sandbox-name\":\"q-0\"", NULL, TWO_ENGINES},
	{"two engines: containerd's sandbox on CRI-O",
	 CRIO "," LABELS ",\"io.kubernetes.cri.sandbox-id\":\"s1\"", NULL, TWO_ENGINES},
	{"two engines: containerd's type on CRI-O",
	 CRIO "," LABELS ",\"io.kubernetes.cri.container-type\":\"container\"", NULL, TWO_ENGINES},
	{"two engines: an empty key is a key",
	 CRIO "," LABELS ",\"io.kubernetes.cri.sandbox-namespace\":\"\"", NULL, TWO_ENGINES},
	{"two engines: CRI-O's sandbox, be it called a container by the other's key",
	 "\"io.kubernetes.cri-o.ContainerType\":\"sandbox\","
	 "\"io.kubernetes.cri.container-type\":\"container\"",
	 NULL, LIST(.sandbox = true, .doubt = "annotations of two engines")},
	{"two engines: containerd's sandbox, be it called a container by the other's key",
	 "\"io.kubernetes.cri-o.ContainerType\":\"container\","
	 "\"io.kubernetes.cri.container-type\":\"sandbox\"",
	 NULL, LIST(.sandbox = true, .doubt = "annotations of two engines")},
	{"labels alone: all of them", LABELS, NULL, LIST(.doubt = "labels as CRI-O writes them")},
	{"labels alone: the namespace", "\"io.kubernetes.pod.namespace\":\"team-a\"", NULL,
	 LIST(.doubt = "labels as CRI-O writes them")},
	{"labels alone: with keys of CRI-O that an author may write", LABELS "," OTHERS, NULL,
	 LIST(.doubt = "labels as CRI-O writes them")},
	/* which engine's annotations, by the engine that made the container */
	{"CRI-O: systemd's cgroup", CRIO "," LABELS,
	 MADE("kubepods-burstable-pod1.slice:crio:c0", "/r"), TRAINER},
	{"CRI-O: podman's annotations, as podman generate kube writes them into a pod",
	 CRIO "," LABELS ",\"io.podman.annotations.autoremove\":\"FALSE\"", NULL, TRAINER},
	{"CRI-O: without its name", LABELS ",\"io.kubernetes.cri-o.ContainerID\":\"c0\"", BY_CRIO,
	 NOBODY},
	{"CRI-O: without its id",
	 MANAGER("cri-o") "\"io.kubernetes.cri-o.SandboxID\":\"s0\"," LABELS, BY_CRIO, NOBODY},
	{"CRI-O: the cgroup of another id", CRIO "," LABELS, MADE("/kubepods/crio-c1", "/r"),
	 NOBODY},
	{"CRI-O: the cgroup of a longer id", CRIO "," LABELS, MADE("/kubepods/crio-c00", "/r"),
	 NOBODY},
	{"CRI-O: the cgroup below its own", CRIO "," LABELS, MADE("/crio-c0/c0", "/r"), NOBODY},
	{"CRI-O: systemd's cgroup of another id", CRIO "," LABELS, MADE("a.slice:crio:c1", "/r"),
	 NOBODY},
	{"CRI-O: no cgroup", CRIO "," LABELS, "\"root\":{\"path\":\"/r\"}", NOBODY},
	{"CRI-O: an empty cgroup", CRIO "," LABELS, MADE("", "/r"), NOBODY},
	{"CRI-O: a cgroup of one colon", CRIO "," LABELS, MADE("crio:c0", "/r"), TRAINER},
	{"containerd: systemd's cgroup", CONTAINERD, MADE("k.slice:cri-containerd:w0", "rootfs"),
	 WORKER},
	{"containerd: an id that begins like another engine's", CONTAINERD,
	 MADE("/kubepods/docker2", "rootfs"), WORKER},
	{"containerd: no cgroup", CONTAINERD, "\"root\":{\"path\":\"rootfs\"}", WORKER},
	{"containerd: without a root", CONTAINERD, MADE("/kubepods/w0", ""), WORKER},
	{"containerd: no root", CONTAINERD, "\"linux\":{\"cgroupsPath\":\"/kubepods/w0\"}", NOBODY},
	{"containerd: another engine's name", MANAGER("libpod") CONTAINERD, BY_CONTAINERD, NOBODY},
	{"containerd: an empty name is a name", MANAGER("") CONTAINERD, BY_CONTAINERD, NOBODY},
	{"containerd: its own name, which it never writes", MANAGER("containerd") CONTAINERD,
	 BY_CONTAINERD, NOBODY},
	{"podman: no annotation of Kubernetes", MANAGER("libpod") OTHERS, BY_PODMAN, {0}},
	{"podman: a pod's container has CRI-O's type and sandbox alone",
	 MANAGER("libpod") "\"io.kubernetes.cri-o.ContainerType\":\"container\",\"io.kubernetes."
			   "cri-o.SandboxID\":\"s0\"",
	 BY_PODMAN, LIST(.sandbox_id = "s0")},
	{"podman: a pod's infra container",
	 MANAGER("libpod") "\"io.kubernetes.cri-o.ContainerType\":\"sandbox\"", BY_PODMAN,
	 LIST(.sandbox = true)},
	{"podman: containerd's set", MANAGER("libpod") CONTAINERD, BY_PODMAN, NOBODY},
	{"podman: containerd's namespace",
	 MANAGER("libpod") "\"io.kubernetes.cri.sandbox-namespace\":\"team-a\"", BY_PODMAN, NOBODY},
	{"podman: CRI-O's id alone", "\"io.kubernetes.cri-o.ContainerID\":\"c0\"", BY_PODMAN,
	 NOBODY},
	{"podman: labels", MANAGER("libpod") LABELS, BY_PODMAN,
	 LIST(.doubt = "labels as CRI-O writes them")},
	{"podman: a pod's container with the namespace",
	 MANAGER("libpod") "\"io.kubernetes.cri-o.SandboxID\":\"s0\",\"io.kubernetes.pod."
			   "namespace\":\"team-a\"",
	 BY_PODMAN, NOBODY},
	{"podman: CRI-O's set and name, with the id", CRIO "," LABELS, BY_PODMAN, NOBODY},
	{"podman: the same on cgroupfs", CRIO "," LABELS, MADE("/libpod_parent/libpod-c0", "/r"),
	 NOBODY},
	{"podman: below a cgroup of CRI-O's form", CRIO "," LABELS,
	 MADE("/a/crio-c0/libpod-c0", "/r"), NOBODY},
	{"podman: the same in systemd", CRIO "," LABELS, MADE("a:crio:c0:libpod:c0", "/r"), NOBODY},
	{"podman: containerd's set without a name", CONTAINERD,
	 MADE("/libpod_parent/libpod-w0", "rootfs"), NOBODY},
	{"Docker: containerd's set", CONTAINERD, BY_DOCKER, NOBODY},
	{"Docker: containerd's set, systemd", CONTAINERD, MADE("system.slice:docker:w0", "rootfs"),
	 NOBODY},
	{"Docker: CRI-O's set and name", CRIO "," LABELS, BY_DOCKER, NOBODY},
	{"nerdctl: containerd's set", CONTAINERD, MADE("user.slice:nerdctl:w0", "rootfs"), NOBODY},
	{"CRI-O's cgroup: containerd's set", CONTAINERD, MADE("/kubepods/crio-w0", "rootfs"),
	 NOBODY},
};

static void same_text(const char *want, const char *got)
{
	assert_int_equal(want == NULL, got == NULL);
	if (want)
		assert_string_equal(want, got);
}

UNIT_ROWS(identity_cases)
{
	WITH_ARENA;
	struct identity got;
	struct spec spec;
	const char *made = strstr(row->annotations, "\"cri-o\"") ? BY_CRIO : BY_CONTAINERD;
	char *text = arena_printf(&arena, "{\"annotations\":{%s},%s}", row->annotations,
				  row->made ? row->made : made);

	assert_int_equal(spec_parse(&arena, "config.json", text, strlen(text), &spec, &err), 0);
	got = spec.identity;
	same_text(row->want.id, got.id);
	same_text(row->want.name, got.name);
	same_text(row->want.pod, got.pod);
	same_text(row->want.pod_namespace, got.pod_namespace);
	same_text(row->want.pod_uid, got.pod_uid);
	same_text(row->want.sandbox_id, got.sandbox_id);
	assert_int_equal(row->want.sandbox, got.sandbox);
	assert_int_equal(got.kubernetes,
			 strstr(row->annotations, "cri-o.ContainerID") ||
				 strstr(row->annotations, "io.kubernetes.container.name") ||
				 strstr(row->annotations, "io.kubernetes.pod.name") ||
				 strstr(row->annotations, "io.kubernetes.cri.container-") ||
				 strstr(row->annotations, "io.kubernetes.cri.sandbox-name"));
	assert_int_equal(row->want.doubt == NULL, got.doubt == NULL);
	if (row->want.doubt)
		assert_has(got.doubt, row->want.doubt);
}

UNIT_TEST("two engines: a forged name with a line break is no error")
{
	static const char text[] = "{\"annotations\":{" CRIO "," LABELS
				   ",\"io.kubernetes.cri.sandbox-name\":\"a\\nb\"}}";
	WITH_ARENA;
	struct spec spec;

	assert_int_equal(spec_parse(&arena, "config.json", text, strlen(text), &spec, &err), 0);
	assert_has(spec.identity.doubt, "annotations of two engines");
}

int main(void)
{
	return unit_main("identity");
}
