/* SPDX-License-Identifier: Apache-2.0 */
/* Whose container it is, by the annotations of its engine, and not by those of its author. */
#include "unit.h"

#include "core/spec/spec.h"

#define CRIO                                                                                       \
	"\"io.kubernetes.cri-o.ContainerType\":\"container\","                                     \
	"\"io.kubernetes.cri-o.ContainerID\":\"c0\",\"io.kubernetes.cri-o.SandboxID\":\"s0\""
#define LABELS                                                                                     \
	"\"io.kubernetes.container.name\":\"trainer\",\"io.kubernetes.pod.name\":\"p-0\","         \
	"\"io.kubernetes.pod.namespace\":\"team-a\""
#define CONTAINERD                                                                                 \
	"\"io.kubernetes.cri.container-type\":\"container\","                                      \
	"\"io.kubernetes.cri.container-name\":\"worker\","                                         \
	"\"io.kubernetes.cri.sandbox-name\":\"q-0\","                                              \
	"\"io.kubernetes.cri.sandbox-namespace\":\"team-b\","                                      \
	"\"io.kubernetes.cri.sandbox-id\":\"s1\""
#define OTHERS                                                                                     \
	"\"io.kubernetes.container.hash\":\"1\",\"io.kubernetes.pod.uid\":\"2\","                  \
	"\"io.kubernetes.cri.image-name\":\"i\",\"io.kubernetes.cri.sandbox-uid\":\"3\","          \
	"\"io.kubernetes.cri-o.Namespace\":\"kube-system\",\"io.kubernetes.cri-o.userns-mode\":"   \
	"\"auto\""

static const struct identity_case {
	const char *name;
	const char *annotations;
	struct identity want;
} identity_cases[] = {
	{"nobody: no annotation", "", {0}},
	{"nobody: annotations that name nobody", OTHERS, {0}},
	{"CRI-O: its keys and the kubelet's labels",
	 CRIO "," LABELS,
	 {"c0", "trainer", "p-0", "team-a", "s0", false, IDENTITY_BELIEVED}},
	{"CRI-O: one of its keys is enough for the labels",
	 "\"io.kubernetes.cri-o.SandboxID\":\"s0\"," LABELS,
	 {NULL, "trainer", "p-0", "team-a", "s0", false, IDENTITY_BELIEVED}},
	{"CRI-O: what its authors may write changes nothing",
	 CRIO "," LABELS "," OTHERS,
	 {"c0", "trainer", "p-0", "team-a", "s0", false, IDENTITY_BELIEVED}},
	{"podman: a pod's container has CRI-O's type and sandbox alone",
	 CRIO,
	 {"c0", NULL, NULL, NULL, "s0", false, IDENTITY_BELIEVED}},
	{"podman: a pod's infra container",
	 "\"io.kubernetes.cri-o.ContainerType\":\"sandbox\"",
	 {.sandbox = true}},
	{"containerd: its keys",
	 CONTAINERD,
	 {NULL, "worker", "q-0", "team-b", "s1", false, IDENTITY_BELIEVED}},
	{"containerd: what its authors may write changes nothing",
	 CONTAINERD "," OTHERS,
	 {NULL, "worker", "q-0", "team-b", "s1", false, IDENTITY_BELIEVED}},
	{"containerd: a sandbox",
	 "\"io.kubernetes.cri.container-type\":\"sandbox\","
	 "\"io.kubernetes.cri.sandbox-namespace\":\"team-b\"",
	 {.pod_namespace = "team-b", .sandbox = true}},
	{"containerd: a type of another word is no sandbox",
	 "\"io.kubernetes.cri.container-type\":\"sandboxes\"",
	 {0}},
	{"two engines: the whole of both",
	 CRIO "," LABELS "," CONTAINERD,
	 {.doubt = IDENTITY_TWO_ENGINES}},
	{"two engines: a label on containerd",
	 CONTAINERD ",\"io.kubernetes.pod.namespace\":\"team-a\"",
	 {.doubt = IDENTITY_TWO_ENGINES}},
	{"two engines: a container's name on containerd",
	 CONTAINERD ",\"io.kubernetes.container.name\":\"trainer\"",
	 {.doubt = IDENTITY_TWO_ENGINES}},
	{"two engines: a pod's name on containerd",
	 CONTAINERD ",\"io.kubernetes.pod.name\":\"p-0\"",
	 {.doubt = IDENTITY_TWO_ENGINES}},
	{"two engines: CRI-O's type on containerd",
	 CONTAINERD ",\"io.kubernetes.cri-o.ContainerType\":\"container\"",
	 {.doubt = IDENTITY_TWO_ENGINES}},
	{"two engines: CRI-O's id on containerd",
	 CONTAINERD ",\"io.kubernetes.cri-o.ContainerID\":\"c0\"",
	 {.doubt = IDENTITY_TWO_ENGINES}},
	{"two engines: CRI-O's sandbox on containerd",
	 CONTAINERD ",\"io.kubernetes.cri-o.SandboxID\":\"s0\"",
	 {.doubt = IDENTITY_TWO_ENGINES}},
	{"two engines: containerd's namespace on CRI-O",
	 CRIO "," LABELS ",\"io.kubernetes.cri.sandbox-namespace\":\"team-b\"",
	 {.doubt = IDENTITY_TWO_ENGINES}},
	{"two engines: containerd's container name on CRI-O",
	 CRIO "," LABELS ",\"io.kubernetes.cri.container-name\":\"worker\"",
	 {.doubt = IDENTITY_TWO_ENGINES}},
	{"two engines: containerd's pod on CRI-O",
	 CRIO "," LABELS ",\"io.kubernetes.cri.sandbox-name\":\"q-0\"",
	 {.doubt = IDENTITY_TWO_ENGINES}},
	{"two engines: containerd's sandbox on CRI-O",
	 CRIO "," LABELS ",\"io.kubernetes.cri.sandbox-id\":\"s1\"",
	 {.doubt = IDENTITY_TWO_ENGINES}},
	{"two engines: containerd's type on CRI-O",
	 CRIO "," LABELS ",\"io.kubernetes.cri.container-type\":\"container\"",
	 {.doubt = IDENTITY_TWO_ENGINES}},
	{"two engines: an empty key is a key",
	 CRIO "," LABELS ",\"io.kubernetes.cri.sandbox-namespace\":\"\"",
	 {.doubt = IDENTITY_TWO_ENGINES}},
	{"two engines: CRI-O's sandbox, be it called a container by the other's key",
	 "\"io.kubernetes.cri-o.ContainerType\":\"sandbox\","
	 "\"io.kubernetes.cri.container-type\":\"container\"",
	 {.sandbox = true, .doubt = IDENTITY_TWO_ENGINES}},
	{"two engines: containerd's sandbox, be it called a container by the other's key",
	 "\"io.kubernetes.cri-o.ContainerType\":\"container\","
	 "\"io.kubernetes.cri.container-type\":\"sandbox\"",
	 {.sandbox = true, .doubt = IDENTITY_TWO_ENGINES}},
	{"labels alone: all of them", LABELS, {.doubt = IDENTITY_LABELS_ALONE}},
	{"labels alone: the namespace",
	 "\"io.kubernetes.pod.namespace\":\"team-a\"",
	 {.doubt = IDENTITY_LABELS_ALONE}},
	{"labels alone: with keys of CRI-O that an author may write",
	 LABELS "," OTHERS,
	 {.doubt = IDENTITY_LABELS_ALONE}},
};

static void same_text(const char *want, const char *got)
{
	assert_int_equal(want == NULL, got == NULL);
	if (want)
		assert_string_equal(want, got);
}

static void identity_is(void **state)
{
	const struct identity_case *row = *state;
	cleanup_arena arena = {0};
	struct identity got;
	struct spec spec;
	struct err err;
	char *text = arena_printf(&arena, "{\"annotations\":{%s}}", row->annotations);

	assert_int_equal(spec_parse(&arena, "config.json", text, strlen(text), &spec, &err), 0);
	got = spec.identity;
	same_text(row->want.id, got.id);
	same_text(row->want.name, got.name);
	same_text(row->want.pod, got.pod);
	same_text(row->want.pod_namespace, got.pod_namespace);
	same_text(row->want.sandbox_id, got.sandbox_id);
	assert_int_equal(row->want.sandbox, got.sandbox);
	assert_int_equal(row->want.doubt, got.doubt);
	assert_int_equal(identity_doubt_reason(got.doubt) == NULL, got.doubt == IDENTITY_BELIEVED);
}

static void a_forged_name_of_an_unknown_identity_is_no_error(void **state)
{
	static const char text[] = "{\"annotations\":{" CRIO "," LABELS
				   ",\"io.kubernetes.cri.sandbox-name\":\"a\\nb\"}}";
	cleanup_arena arena = {0};
	struct spec spec;
	struct err err = {0};

	(void)state;
	assert_int_equal(spec_parse(&arena, "config.json", text, strlen(text), &spec, &err), 0);
	assert_int_equal(spec.identity.doubt, IDENTITY_TWO_ENGINES);
}

int main(void)
{
	static struct unit_suite suite;

	UNIT_TABLE(&suite, identity_is, identity_cases);
	unit_add(&suite, "two engines: a forged name with a line break is no error",
		 a_forged_name_of_an_unknown_identity_is_no_error, NULL);
	return unit_run(&suite, "identity");
}
