/* SPDX-License-Identifier: Apache-2.0 */
/* grant, tcp, none or denied, and the reason */
#include "suite.h"

#define NOT_ASKED "not asked for: no annotation oci-rdma-hook.io/inject"
#define REFUSED "the annotation oci-rdma-hook.io/inject says \"false\""
#define OTHER "the annotation oci-rdma-hook.io/containers does not name this container"
#define SANDBOX "not a workload container: the pod's sandbox"
#define NO_DEVICE "no RDMA device allocated"
#define TCP "annotated, but no RDMA device allocated (on_no_device: tcp)"
#define FAIL                                                                                       \
	"annotated, but no RDMA device allocated; if this container needs none, let the "          \
	"annotation oci-rdma-hook.io/containers name only those that do (on_no_device: fail "      \
	"in " CONFIG_FILE ")"
#define NO_LIMIT "no memory limit (require_memory_limit in " CONFIG_FILE ")"
#define NOT_ALLOWED(name) "namespace " name " is not among the namespaces of " CONFIG_FILE

#define SHORT                                                                                      \
	"RLIMIT_MEMLOCK is 8388608 bytes at most, since this engine cannot raise its hard limit: " \
	"give it CAP_SYS_RESOURCE on the node, or, if it is rootless, set LimitMEMLOCK=infinity "  \
	"in a drop-in of user@.service, or memlock in /etc/security/limits.d, and log in again "   \
	"(on_error: fail in " CONFIG_FILE ")"

static const struct decision_case {
	const char *name;
	struct setup setup;
	enum decision decision;
	const char *reason;
	bool fail;
} decision_cases[] = {
	{"decision: asked for, one device", SETUP(ASKED, ONE_DEVICE), DECISION_GRANT,
	 "1 RDMA device allocated and annotated", false},
	{"decision: asked for, four devices",
	 SETUP(ASKED, .devices = {{"mlx5_6"}, {"mlx5_7"}, {"mlx5_10"}, {"mlx5_11"}}),
	 DECISION_GRANT, "4 RDMA devices allocated and annotated", false},
	{"decision: asked for by the hook's arguments", SETUP(ASKED, .by_hook = true, ONE_DEVICE),
	 DECISION_GRANT, "1 RDMA device allocated and asked for by the hook's arguments (--ask)",
	 false},
	{"decision: asked for by the hook's arguments, no device, tcp",
	 SETUP(TCP_SETUP, .by_hook = true), DECISION_TCP,
	 "asked for by the hook's arguments (--ask), but no RDMA device allocated (on_no_device: "
	 "tcp)",
	 false},
	{"decision: rootless, on_error fail, the hard limit is below what is granted",
	 SETUP(ASKED, ONE_DEVICE, .fail_on_error = true, .memlock_max = 8 * MI), DECISION_DENIED,
	 SHORT, true},
	{"decision: on_error fail, the spec lists more than the engine's own limit",
	 SETUP(ASKED, ONE_DEVICE, .fail_on_error = true, .memlock_max = 8 * MI, .memlock = 64 * MI,
	       .has_memlock = true, .soft = 64 * MI, .hard = 64 * MI),
	 DECISION_GRANT, "1 RDMA device allocated and annotated", false},
	{"decision: on_error fail, the spec lists that as a hard limit alone",
	 SETUP(ASKED, ONE_DEVICE, .fail_on_error = true, .memlock_max = 8 * MI, .memlock = 64 * MI,
	       .has_memlock = true, .soft = MI, .hard = 64 * MI),
	 DECISION_DENIED, SHORT, true},
	{"decision: on_error fail, a capability that the engine lacks",
	 SETUP(ASKED, ONE_DEVICE, .fail_on_error = true, .lacking = ~UINT64_C(0)), DECISION_DENIED,
	 "this engine cannot give CAP_IPC_LOCK, which its bounding set lacks: add it to "
	 "CapabilityBoundingSet= of its service, or remove it from \"capabilities\" in config.json "
	 "(on_error: fail in " CONFIG_FILE ")",
	 true},
	{"decision: on_error warn, a capability that the engine lacks",
	 SETUP(ASKED, ONE_DEVICE, .lacking = ~UINT64_C(0)), DECISION_GRANT,
	 "1 RDMA device allocated and annotated", false},
	{"decision: on_error fail, a capability that the engine lacks is not granted",
	 SETUP(ASKED, ONE_DEVICE, .fail_on_error = true, .capabilities = NO_CAPABILITY,
	       .lacking = ~UINT64_C(0)),
	 DECISION_GRANT, "1 RDMA device allocated and annotated", false},
	{"decision: rootless, on_error fail, the hard limit will do",
	 SETUP(ASKED, ONE_DEVICE, .fail_on_error = true, .memlock_max = 8 * MI, .memlock = 8 * MI),
	 DECISION_GRANT, "1 RDMA device allocated and annotated", false},
	{"decision: rootless, on_error warn", SETUP(ASKED, ONE_DEVICE, .memlock_max = 8 * MI),
	 DECISION_GRANT, "1 RDMA device allocated and annotated", false},
	{"decision: a vfio function", SETUP(ASKED, .vfio = {"vfio/57"}), DECISION_GRANT,
	 "1 vfio function allocated and annotated", false},
	{"decision: two vfio functions, opt_in device",
	 SETUP(.opt_in = OPT_IN_DEVICE, .vfio = {"vfio/57", "vfio/devices/vfio0"}), DECISION_GRANT,
	 "2 vfio functions allocated", false},
	{"decision: verbs and vfio", SETUP(ASKED, TWO, .vfio = {"vfio/57"}), DECISION_GRANT,
	 "2 RDMA devices and 1 vfio function allocated and annotated", false},
	{"decision: a vfio function, not asked for", SETUP(.vfio = {"vfio/57"}), DECISION_NONE,
	 NOT_ASKED, false},
	{"decision: a vfio function is a device, on_no_device fail",
	 SETUP(ASKED, .vfio = {"vfio/57"}, .on_no_device = NO_DEVICE_FAIL), DECISION_GRANT,
	 "1 vfio function allocated and annotated", false},
	{"decision: a vfio function in another namespace",
	 SETUP(ASKED, .vfio = {"vfio/57"}, .allowed = "a", .pod_namespace = "b"), DECISION_DENIED,
	 NOT_ALLOWED("b"), false},
	{"decision: vfio needs no capability, on_error fail, the engine lacks it",
	 SETUP(ASKED, .vfio = {"vfio/57"}, .fail_on_error = true, .lacking = ~UINT64_C(0)),
	 DECISION_GRANT, "1 vfio function allocated and annotated", false},
	{"decision: vfio, on_error fail, the hard limit is below what is granted",
	 SETUP(ASKED, .vfio = {"vfio/57"}, .fail_on_error = true, .memlock_max = 8 * MI),
	 DECISION_DENIED, SHORT, true},
	{"decision: not asked for", SETUP(ONE_DEVICE), DECISION_NONE, NOT_ASKED, false},
	{"decision: not asked for, opt_in device", SETUP(.opt_in = OPT_IN_DEVICE, ONE_DEVICE),
	 DECISION_GRANT, "1 RDMA device allocated", false},
	{"decision: asked for, opt_in device", SETUP(.opt_in = OPT_IN_DEVICE, ASKED, ONE_DEVICE),
	 DECISION_GRANT, "1 RDMA device allocated and annotated", false},
	{"decision: refused", SETUP(.inject = INJECT_REFUSED, ONE_DEVICE), DECISION_NONE, REFUSED,
	 false},
	{"decision: refused, opt_in device",
	 SETUP(.opt_in = OPT_IN_DEVICE, .inject = INJECT_REFUSED, ONE_DEVICE), DECISION_NONE,
	 REFUSED, false},
	{"decision: for another container",
	 SETUP(ASKED, .excludes_this_container = true, ONE_DEVICE), DECISION_NONE, OTHER, false},
	{"decision: for another container, opt_in device",
	 SETUP(.opt_in = OPT_IN_DEVICE, .excludes_this_container = true, ONE_DEVICE), DECISION_NONE,
	 OTHER, false},
	{"decision: a sandbox", SETUP(.sandbox = true, ASKED, ONE_DEVICE), DECISION_NONE, SANDBOX,
	 false},
	{"decision: a sandbox, opt_in device, on_no_device fail",
	 SETUP(.sandbox = true, .opt_in = OPT_IN_DEVICE, ASKED, .on_no_device = NO_DEVICE_FAIL),
	 DECISION_NONE, SANDBOX, false},

	{"decision: no device", SETUP(ASKED), DECISION_NONE, NO_DEVICE, false},
	{"decision: no device, opt_in device", SETUP(.opt_in = OPT_IN_DEVICE), DECISION_NONE,
	 NO_DEVICE, false},
	{"decision: a device, on_no_device tcp", SETUP(TCP_SETUP, ONE_DEVICE), DECISION_GRANT,
	 "1 RDMA device allocated and annotated", false},
	{"decision: no device, on_no_device tcp", SETUP(ASKED, .on_no_device = NO_DEVICE_TCP),
	 DECISION_TCP, TCP, false},
	{"decision: no device, on_no_device fail", SETUP(ASKED, .on_no_device = NO_DEVICE_FAIL),
	 DECISION_DENIED, FAIL, true},
	{"decision: no device and not asked for, on_no_device fail",
	 SETUP(.on_no_device = NO_DEVICE_FAIL), DECISION_NONE, NOT_ASKED, false},
	{"decision: no device and not asked for, opt_in device, on_no_device fail",
	 SETUP(.opt_in = OPT_IN_DEVICE, .on_no_device = NO_DEVICE_FAIL), DECISION_NONE, NO_DEVICE,
	 false},
	{"decision: no device and not asked for, opt_in device, on_no_device tcp",
	 SETUP(.opt_in = OPT_IN_DEVICE, .on_no_device = NO_DEVICE_TCP), DECISION_NONE, NO_DEVICE,
	 false},
	{"decision: no device, for another container, on_no_device fail",
	 SETUP(ASKED, .excludes_this_container = true, .on_no_device = NO_DEVICE_FAIL),
	 DECISION_NONE, OTHER, false},
	{"decision: no device and refused, on_no_device fail",
	 SETUP(.inject = INJECT_REFUSED, .on_no_device = NO_DEVICE_FAIL), DECISION_NONE, REFUSED,
	 false},

	{"decision: namespace allowed",
	 SETUP(ASKED, .allowed = "team-*", .pod_namespace = "team-a", ONE_DEVICE), DECISION_GRANT,
	 "1 RDMA device allocated and annotated", false},
	{"decision: namespace not allowed",
	 SETUP(ASKED, .allowed = "team-*", .pod_namespace = "other", ONE_DEVICE), DECISION_DENIED,
	 NOT_ALLOWED("other"), false},
	{"decision: namespace not known", SETUP(ASKED, .allowed = "team-*", ONE_DEVICE),
	 DECISION_DENIED, NOT_ALLOWED("(unknown)"), false},
	{"decision: namespace not known, all allowed", SETUP(ASKED, ONE_DEVICE), DECISION_GRANT,
	 "1 RDMA device allocated and annotated", false},
	{"decision: keys of two engines, a list of namespaces",
	 SETUP(ASKED, .allowed = "team-*", .doubt = "annotations of two", ONE_DEVICE),
	 DECISION_DENIED,
	 "the pod's namespace is unknown, and only \"*\" in the namespaces of " CONFIG_FILE
	 " would admit it: the container has annotations of two",
	 false},
	{"decision: keys of two engines, all allowed",
	 SETUP(ASKED, .doubt = "annotations of two", ONE_DEVICE), DECISION_GRANT,
	 "1 RDMA device allocated and annotated", false},
	{"decision: keys of two engines, for another container",
	 SETUP(ASKED, .excludes_this_container = true, .doubt = "annotations of two", ONE_DEVICE),
	 DECISION_NONE,
	 "the annotation oci-rdma-hook.io/containers names containers, but the name of this "
	 "container is unknown",
	 false},
	{"decision: no namespace allowed",
	 SETUP(ASKED, .allowed = "", .pod_namespace = "team-a", ONE_DEVICE), DECISION_DENIED,
	 NOT_ALLOWED("team-a"), false},
	{"decision: namespace not allowed, opt_in device",
	 SETUP(.opt_in = OPT_IN_DEVICE, .allowed = "a", .pod_namespace = "b", ONE_DEVICE),
	 DECISION_DENIED, NOT_ALLOWED("b"), false},
	{"decision: namespace not allowed and not asked for",
	 SETUP(.allowed = "a", .pod_namespace = "b", ONE_DEVICE), DECISION_NONE, NOT_ASKED, false},
	{"decision: namespace not allowed, no device",
	 SETUP(ASKED, .allowed = "a", .pod_namespace = "b"), DECISION_NONE, NO_DEVICE, false},
	{"decision: namespace not allowed, no device, on_no_device tcp",
	 SETUP(ASKED, .allowed = "a", .pod_namespace = "b", .on_no_device = NO_DEVICE_TCP),
	 DECISION_DENIED, NOT_ALLOWED("b"), false},
	{"decision: namespace not allowed, no device and not asked for, opt_in device, "
	 "on_no_device "
	 "fail",
	 SETUP(.opt_in = OPT_IN_DEVICE, .allowed = "a", .pod_namespace = "b",
	       .on_no_device = NO_DEVICE_FAIL),
	 DECISION_NONE, NO_DEVICE, false},

	{"decision: no memory limit, none required", SETUP(ASKED, ONE_DEVICE), DECISION_GRANT,
	 "1 RDMA device allocated and annotated", false},
	{"decision: no memory limit, one required",
	 SETUP(ASKED, .require_memory_limit = true, ONE_DEVICE), DECISION_DENIED, NO_LIMIT, false},
	{"decision: no memory limit, one required, the node's memory is known",
	 SETUP(ASKED, .require_memory_limit = true, .node_memory = MI, ONE_DEVICE), DECISION_DENIED,
	 NO_LIMIT, false},
	{"decision: a memory limit, one required",
	 SETUP(ASKED, .require_memory_limit = true, .memory_limit = MI, .node_memory = MI + 1,
	       ONE_DEVICE),
	 DECISION_GRANT, "1 RDMA device allocated and annotated", false},
	{"decision: a memory limit of the node's memory, one required",
	 SETUP(ASKED, .require_memory_limit = true, .memory_limit = MI, .node_memory = MI,
	       ONE_DEVICE),
	 DECISION_DENIED,
	 "the memory limit of 1048576 bytes is not below the node's 1048576 (require_memory_limit "
	 "in " CONFIG_FILE ")",
	 false},
	{"decision: a memory limit, and the node's memory is not known",
	 SETUP(ASKED, .require_memory_limit = true, .memory_limit = MI, ONE_DEVICE),
	 DECISION_DENIED,
	 "the node's memory is not known (/proc/meminfo), so that the memory limit may be above it "
	 "(require_memory_limit in " CONFIG_FILE ")",
	 false},
	{"decision: a memory limit of the node's memory, none required",
	 SETUP(ASKED, .memory_limit = MI, .node_memory = MI, ONE_DEVICE), DECISION_GRANT,
	 "1 RDMA device allocated and annotated", false},
	{"decision: no memory limit, one required, opt_in device",
	 SETUP(.opt_in = OPT_IN_DEVICE, .require_memory_limit = true, ONE_DEVICE), DECISION_DENIED,
	 NO_LIMIT, false},
	{"decision: no memory limit, one required, not asked for",
	 SETUP(.require_memory_limit = true, ONE_DEVICE), DECISION_NONE, NOT_ASKED, false},
	{"decision: the namespace is said before the limit",
	 SETUP(ASKED, .allowed = "a", .pod_namespace = "b", .require_memory_limit = true,
	       ONE_DEVICE),
	 DECISION_DENIED, NOT_ALLOWED("b"), false},
	{"decision: the memory limit is said before the user's hard limit",
	 SETUP(ASKED, .require_memory_limit = true, .fail_on_error = true, .memlock_max = 8 * MI,
	       ONE_DEVICE),
	 DECISION_DENIED, NO_LIMIT, false},
	{"decision: who refuses is told that, and not that another container is named",
	 SETUP(.inject = INJECT_REFUSED, .excludes_this_container = true, ONE_DEVICE),
	 DECISION_NONE, REFUSED, false},
	{"decision: who does not ask is told that, and not that another container is named",
	 SETUP(.excludes_this_container = true, ONE_DEVICE), DECISION_NONE, NOT_ASKED, false},
	{"decision: a sandbox is told that, whatever it asks for",
	 SETUP(.inject = INJECT_REFUSED, .sandbox = true, ONE_DEVICE), DECISION_NONE, SANDBOX,
	 false},
};

UNIT_ROWS(decision_cases)
{
	cleanup_bench bench = plan_of(&row->setup);
	struct plan decided;

	assert_string_equal(bench.plan.reason, row->reason);
	assert_string_equal(decision_names[bench.plan.decision], decision_names[row->decision]);
	assert_int_equal(bench.plan.fail, row->fail);
	decide_plan(&bench, &decided);
	assert_string_equal(decided.reason, row->reason);
	assert_int_equal(decided.decision, row->decision);
	assert_int_equal(decided.fail, row->fail);
	assert_int_equal(decided.memlock != 0, row->decision == DECISION_GRANT);
	assert_int_equal(decided.n_settings, 0);
	/* Otherwise only TCP's variables */
	if (row->decision == DECISION_GRANT)
		return;
	assert_true(bench.plan.memlock == 0);
	assert_false(bench.plan.adds_rlimit);
	assert_true(bench.plan.capabilities == 0);
	if (row->decision == DECISION_TCP)
		return;
	assert_int_equal(bench.plan.n_settings, 0);
	assert_string_equal(plan_nccl_lines(&bench.arena, &bench.plan), "");
	assert_int_equal(bench.warnings.n, 0);
}

static const struct doubt_case {
	const char *name;
	struct setup setup;
	const char *warnings;
} doubt_cases[] = {
	{"doubt: none", SETUP(ASKED, ONE_DEVICE), ""},
	{"doubt: of a grant", SETUP(ASKED, ONE_DEVICE, .doubt = "annotations of two"),
	 "identity_unknown"},
	{"doubt: of tcp", SETUP(TCP_SETUP, .doubt = "annotations of two"), "identity_unknown"},
	{"doubt: who gets nothing is not told", SETUP(ONE_DEVICE, .doubt = "annotations of two"),
	 ""},
	{"doubt: who is denied reads it in the reason",
	 SETUP(ASKED, .allowed = "", ONE_DEVICE, .doubt = "annotations of two"), ""},
};

UNIT_ROWS(doubt_cases)
{
	cleanup_bench bench = plan_of(&row->setup);

	assert_string_equal(unit_codes(&bench.arena, &bench.warnings), row->warnings);
}

UNIT_TEST("decision: the names of the schema")
{
	assert_string_equal(decision_names[DECISION_GRANT], "grant");
	assert_string_equal(decision_names[DECISION_TCP], "tcp");
	assert_string_equal(decision_names[DECISION_NONE], "none");
	assert_string_equal(decision_names[DECISION_DENIED], "denied");
}
