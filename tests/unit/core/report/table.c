/* SPDX-License-Identifier: Apache-2.0 */
/* All outcomes: kind of container, failing step, policy */
#include "tests/unit/unit.h"

#include "core/report/outcome.h"

#define FUNCTION "devices/pci0000:3a/0000:3a:00.0/0000:3b:02.6/infiniband_verbs/uverbs6"

#define DEVICE                                                                                     \
	"\"linux\":{\"devices\":[{\"type\":\"c\",\"path\":\"/dev/infiniband/uverbs6\","            \
	"\"major\":231,\"minor\":198}]}"
#define ASKS "\"annotations\":{\"oci-rdma-hook.io/inject\":\"true\"}"
#define ODD "\"annotations\":{\"oci-rdma-hook.io/memlock\":\"much\"}"

#define GROUP                                                                                      \
	"\"linux\":{\"devices\":[{\"type\":\"c\",\"path\":\"/dev/vfio/57\","                       \
	"\"major\":243,\"minor\":0}]}"
#define COUNTS "\"devices\":[\"verbs\",\"vfio\"]"

#define ASKS_WITH_DEVICE "{" ASKS "," DEVICE "}"
#define ASKS_WITHOUT "{" ASKS "}"
#define DEVICE_ALONE "{" DEVICE "}"
#define BROKEN(text) text ",\"process\":7}"

#define ON_ERROR "\"on_error\":\"fail\""
#define ON_DENIED "\"on_denied\":\"fail\""
#define TCP "\"on_no_device\":\"tcp\""
#define FAIL "\"on_no_device\":\"fail\""
#define OTHERS "\"namespaces\":[\"team-b\"]"
#define ALL_FAIL ON_ERROR "," ON_DENIED "," FAIL

enum step {
	NO_STEP,
	AT_READ, /* reading succeeds, something later fails */
	AT_NODE,
	AT_APPLY,
};

static const struct outcome_case {
	const char *name;
	const char *spec; /* "": no text */
	const char *config;
	enum step step;
	enum record_result result;
	bool must_fail;
	const char *reason; /* part of it; NULL: none */
	int caller;         /* asks: 1, by --ask: 2; refuses: -1; says nothing: 0 */
} outcome_cases[] = {
	/* Nothing fails. */
	{"grant", ASKS_WITH_DEVICE, "", NO_STEP, RECORD_GRANTED, false, NULL, 0},
	{"grant: all says fail", ASKS_WITH_DEVICE, ALL_FAIL, NO_STEP, RECORD_GRANTED, false, NULL,
	 0},
	{"none: no device, no request", "{}", ALL_FAIL, NO_STEP, RECORD_NOTHING, false, NULL, 0},
	{"none: a device, no request", DEVICE_ALONE, ALL_FAIL, NO_STEP, RECORD_NOTHING, false,
	 "not asked for", 0},
	{"none: no device", ASKS_WITHOUT, ON_ERROR "," ON_DENIED, NO_STEP, RECORD_NOTHING, false,
	 "no RDMA device allocated", 0},
	{"tcp", ASKS_WITHOUT, TCP "," ON_ERROR, NO_STEP, RECORD_GRANTED, false, NULL, 0},
	{"no device: on_no_device fail", ASKS_WITHOUT, FAIL, NO_STEP, RECORD_DENIED, true,
	 "on_no_device: fail", 0},
	{"denied", ASKS_WITH_DEVICE, OTHERS "," ON_ERROR "," FAIL, NO_STEP, RECORD_DENIED, false,
	 "not among the namespaces", 0},
	{"denied: on_denied fail", ASKS_WITH_DEVICE, OTHERS "," ON_DENIED, NO_STEP, RECORD_DENIED,
	 true, "(on_denied: fail in ", 0},
	{"denied: by the memory limit, on_denied fail", ASKS_WITH_DEVICE,
	 "\"require_memory_limit\":true," ON_DENIED, NO_STEP, RECORD_DENIED, true,
	 "no memory limit", 0},
	{"denied: on_denied fail, no device", ASKS_WITHOUT, OTHERS "," ON_DENIED "," TCP, NO_STEP,
	 RECORD_DENIED, false, "not among the namespaces", 0},
	{"denied: all says fail, no device", ASKS_WITHOUT, OTHERS "," ALL_FAIL, NO_STEP,
	 RECORD_DENIED, false, "not among the namespaces", 0},
	{"denied: on_denied fail, it does not ask", DEVICE_ALONE,
	 OTHERS "," ON_DENIED ",\"opt_in\":\"device\"", NO_STEP, RECORD_DENIED, false,
	 "not among the namespaces", 0},

	/* A vfio-pci function counts only if the policy says so. */
	{"vfio: grant", "{" ASKS "," GROUP "}", COUNTS "," ALL_FAIL, NO_STEP, RECORD_GRANTED, false,
	 NULL, 0},
	{"vfio: opt_in device", "{" GROUP "}", COUNTS ",\"opt_in\":\"device\"", NO_STEP,
	 RECORD_GRANTED, false, NULL, 0},
	{"vfio: not counted", "{" ASKS "," GROUP "}", ON_ERROR "," ON_DENIED, NO_STEP,
	 RECORD_NOTHING, false, "no RDMA device allocated", 0},
	{"vfio: denied, on_denied fail", "{" ASKS "," GROUP "}", COUNTS "," OTHERS "," ON_DENIED,
	 NO_STEP, RECORD_DENIED, true, "(on_denied: fail in ", 0},
	{"vfio: apply: fail", "{" ASKS "," GROUP "}", COUNTS "," ON_ERROR, AT_APPLY, RECORD_FAILED,
	 true, "apply", 0},
	{"vfio: request: cannot be read, fail", "{" ODD "," GROUP "}", COUNTS "," ON_ERROR, NO_STEP,
	 RECORD_FAILED, true, "memlock", 0},
	{"vfio: request: cannot be read, not counted", "{" ODD "," GROUP "}", ON_ERROR, NO_STEP,
	 RECORD_NOTHING, false, "memlock", 0},
	{"vfio: policy: cannot be read", "{" ASKS "," GROUP "}", COUNTS ",\"memlok\":1", NO_STEP,
	 RECORD_NOTHING, false, "memlok", 0},

	/* The decision cannot be applied. */
	{"apply: warn", ASKS_WITH_DEVICE, FAIL "," ON_DENIED, AT_APPLY, RECORD_FAILED, false,
	 "apply", 0},
	{"apply: fail", ASKS_WITH_DEVICE, ON_ERROR, AT_APPLY, RECORD_FAILED, true, "apply", 0},
	{"apply: tcp, warn", ASKS_WITHOUT, TCP, AT_APPLY, RECORD_FAILED, false, "apply", 0},
	{"apply: tcp, fail", ASKS_WITHOUT, TCP "," ON_ERROR, AT_APPLY, RECORD_FAILED, false,
	 "apply", 0},
	{"apply: not for none", ASKS_WITHOUT, ON_ERROR, AT_APPLY, RECORD_NOTHING, false,
	 "no RDMA device", 0},
	{"apply: not for a denial", ASKS_WITH_DEVICE, OTHERS "," ON_ERROR, AT_APPLY, RECORD_DENIED,
	 false, "namespaces", 0},

	/* Policy or request */
	{"policy: cannot be read", ASKS_WITH_DEVICE, ON_ERROR ",\"memlok\":1", NO_STEP,
	 RECORD_FAILED, false, "memlok", 0},
	{"policy: cannot be read, no device", ASKS_WITHOUT, ON_ERROR ",\"memlok\":1", NO_STEP,
	 RECORD_NOTHING, false, "memlok", 0},
	{"policy: cannot be read, no request", "{}", ON_ERROR ",\"memlok\":1", NO_STEP,
	 RECORD_NOTHING, false, NULL, 0},
	{"policy: cannot be read, a device by another name",
	 "{" ASKS ",\"linux\":{\"devices\":[{\"type\":\"c\",\"path\":\"/dev/x\","
	 "\"major\":231,\"minor\":198}]}}",
	 ON_ERROR ",\"memlok\":1", NO_STEP, RECORD_FAILED, false, "memlok", 0},
	{"policy: cannot be read, a device's name with another number",
	 "{" ASKS ",\"linux\":{\"devices\":[{\"type\":\"c\",\"path\":"
	 "\"/dev/infiniband/uverbs6\",\"major\":231,\"minor\":199}]}}",
	 ON_ERROR ",\"memlok\":1", NO_STEP, RECORD_NOTHING, false, "memlok", 0},
	{"policy: cannot be read, a pod's sandbox",
	 "{\"annotations\":{\"oci-rdma-hook.io/inject\":\"true\","
	 "\"io.kubernetes.cri.container-type\":\"sandbox\"}," DEVICE "}",
	 ON_ERROR ",\"memlok\":1", NO_STEP, RECORD_NOTHING, false, NULL, 0},
	{"request: cannot be read, warn", "{" ODD "," DEVICE "}", "", NO_STEP, RECORD_FAILED, false,
	 "memlock", 0},
	{"request: cannot be read, fail", "{" ODD "," DEVICE "}", ON_ERROR, NO_STEP, RECORD_FAILED,
	 true, "memlock", 0},
	{"request: cannot be read, no device", "{" ODD "}", ALL_FAIL, NO_STEP, RECORD_NOTHING,
	 false, "memlock", 0},

	/* The node: devices unknown */
	{"node: asks, and a device's file", ASKS_WITH_DEVICE, ON_ERROR, AT_NODE, RECORD_FAILED,
	 true, "sys/dev/char", 0},
	{"node: the same, warn", ASKS_WITH_DEVICE, "", AT_NODE, RECORD_FAILED, false,
	 "sys/dev/char", 0},
	{"node: no device's file", ASKS_WITHOUT, ALL_FAIL, AT_NODE, RECORD_NOTHING, false,
	 "sys/dev/char", 0},
	{"node: does not ask", DEVICE_ALONE, ALL_FAIL, AT_NODE, RECORD_NOTHING, false,
	 "sys/dev/char", 0},
	{"node: does not ask, opt_in device", DEVICE_ALONE, ON_ERROR ",\"opt_in\":\"device\"",
	 AT_NODE, RECORD_FAILED, true, "sys/dev/char", 0},

	/* The spec */
	{"spec: asks, and a device's file", BROKEN("{" ASKS "," DEVICE), ON_ERROR, NO_STEP,
	 RECORD_FAILED, true, "process", 0},
	{"spec: the same, warn", BROKEN("{" ASKS "," DEVICE), "", NO_STEP, RECORD_FAILED, false,
	 "process", 0},
	{"spec: the same, and a policy that cannot be read", BROKEN("{" ASKS "," DEVICE),
	 ON_ERROR ",\"memlok\":1", NO_STEP, RECORD_FAILED, false, "process", 0},
	{"spec: no device's file", BROKEN("{" ASKS), ALL_FAIL, NO_STEP, RECORD_NOTHING, false,
	 "process", 0},
	{"spec: does not ask", BROKEN("{" DEVICE), ALL_FAIL, NO_STEP, RECORD_NOTHING, false,
	 "process", 0},
	{"spec: does not ask, opt_in device", BROKEN("{" DEVICE), ON_ERROR ",\"opt_in\":\"device\"",
	 NO_STEP, RECORD_FAILED, true, "process", 0},
	{"spec: does not ask, --ask", BROKEN("{" DEVICE), ON_ERROR, NO_STEP, RECORD_FAILED, true,
	 "process", 2},
	{"spec: the caller knows that it asks", BROKEN("{" DEVICE), ON_ERROR, NO_STEP,
	 RECORD_FAILED, true, "process", 1},
	{"spec: the caller knows that it does not ask", BROKEN("{" ASKS "," DEVICE), ON_ERROR,
	 NO_STEP, RECORD_NOTHING, false, "process", -1},
	{"spec: asks by the caller, no device's file", BROKEN("{" ASKS), ON_ERROR, NO_STEP,
	 RECORD_NOTHING, false, "process", 1},
	{"spec: no text", "", ON_ERROR, AT_READ, RECORD_NOTHING, false, "read", 0},
	{"spec: no text, opt_in device", "", ON_ERROR ",\"opt_in\":\"device\"", AT_READ,
	 RECORD_NOTHING, false, "read", 0},
	{"spec: no text, the caller knows that it asks", "", ON_ERROR, AT_READ, RECORD_FAILED, true,
	 "read", 1},
	{"spec: no text, the caller knows that it does not ask", "", ON_ERROR, AT_READ,
	 RECORD_NOTHING, false, "read", -1},
};

/* ---- an entry point whose steps fail as a row says ---- */

struct bench {
	int applied;
	bool if_late; /* in between: must fail */
};

static int read_spec(const struct outcome_case *row, struct container *container, struct err *err)
{
	if (row->step == AT_READ)
		return err_set(err, "read");
	container->text =
		(struct fs_text){.bytes = (char *)(uintptr_t)row->spec, .len = strlen(row->spec)};
	return container_parse_spec(container, "config.json", err);
}

static int apply(const struct outcome_case *row, struct bench *bench, struct outcome *outcome)
{
	bench->applied++;
	if (row->step == AT_APPLY)
		return err_set(&outcome->err, "apply");
	outcome->changed = true;
	return 0;
}

static void make_node(const struct unit_dir *dir, const struct outcome_case *row)
{
	const char *config = row->config;
	char text[512];

	if (row->step == AT_NODE) {
		unit_write(dir->fd, "sys/dev/char", "no directory", 0644);
	} else {
		unit_write(dir->fd, "sys/dev/char/x", "", 0644);
		unit_write(dir->fd, "sys/" FUNCTION "/ibdev", "mlx5_6\n", 0644);
		assert_int_equal(symlinkat("../../" FUNCTION, dir->fd, "sys/dev/char/231:198"), 0);
		assert_int_equal(
			symlinkat("../../devices/virtual/vfio/57", dir->fd, "sys/dev/char/243:0"),
			0);
	}
	snprintf(text, sizeof(text), "{%s}", config);
	unit_write(dir->fd, "etc/oci-rdma-hook/config.json", text, 0644);
}

static void serve(const struct outcome_case *row, bool repeats, struct outcome *ret_outcome,
		  struct bench *bench)
{
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_container container = CONTAINER_NONE;
	const struct options options = {.sysroot = dir.path, .ask = row->caller == 2};
	const bool asks = row->caller > 0;
	struct err *err = &ret_outcome->err;
	int status;

	make_node(&dir, row);
	*bench = (struct bench){0};
	*ret_outcome = (struct outcome){
		.entry_point = "test",
		.options = &options,
		.repeats = repeats,
		.asks = row->caller % 2 ? &asks : NULL,
	};
	status = read_spec(row, &container, err);
	if (status == 0)
		status = container_find(&container, &options, err);
	if (status > 0) {
		bench->if_late = outcome_if_timed_out(&container, ret_outcome);
		status = container_plan(&container, err);
		assert_int_equal(status, status < 0 ? -1 : plan_gives(&container.plan));
	}
	if (status > 0)
		status = apply(row, bench, ret_outcome);
	outcome_decide(&container, status, ret_outcome);
	/* lives as long as the container */
	if (ret_outcome->reason)
		snprintf(ret_outcome->err.text, sizeof(ret_outcome->err.text), "%s",
			 arena_strdup(&container.arena, ret_outcome->reason));
}

UNIT_ROWS(outcome_cases)
{
	struct outcome outcome;
	struct bench bench;

	serve(row, false, &outcome, &bench);
	assert_int_equal(outcome.result, row->result);
	assert_int_equal(outcome.must_fail, row->must_fail);
	assert_int_equal(outcome.reason != NULL, row->reason != NULL);
	if (row->reason)
		assert_has(outcome.err.text, row->reason);
	assert_int_equal(outcome.changed, row->result == RECORD_GRANTED);
	assert_int_equal(bench.applied,
			 row->result == RECORD_GRANTED || row->step == AT_APPLY
				 ? row->result == RECORD_GRANTED || row->result == RECORD_FAILED
				 : 0);
}

/* The container already runs: crun would kill it. */
UNIT_ROWS_AS("repeated: ", outcome_cases)
{
	struct outcome outcome;
	struct bench bench;

	serve(row, true, &outcome, &bench);
	assert_false(outcome.must_fail);
	assert_false(bench.if_late);
}

/* With a known device, on_error "fail" applies until a grant. */
UNIT_TEST("late: in between")
{
	static const struct outcome_case rows[] = {
		{.spec = ASKS_WITH_DEVICE, .config = ON_ERROR},
		{.spec = ASKS_WITH_DEVICE, .config = FAIL "," ON_DENIED},
		{.spec = ASKS_WITHOUT, .config = ON_ERROR "," TCP},
		{.spec = "{" ASKS "," GROUP "}", .config = COUNTS "," ON_ERROR},
	};
	struct outcome outcome;
	struct bench bench;

	for (size_t i = 0; i < LENGTH(rows); i++) {
		serve(&rows[i], false, &outcome, &bench);
		assert_int_equal(bench.if_late, i == 0 || i == 3);
		assert_false(outcome.must_fail);
	}
}

/* As found by the shim's exec */
UNIT_TEST("failed: found elsewhere")
{
	cleanup_container container = CONTAINER_NONE;
	struct outcome outcome = {.err.text = "the record is gone"};

	outcome_set_failed(&container, true, &outcome);
	assert_int_equal(outcome.result, RECORD_FAILED);
	assert_false(outcome.must_fail); /* no config knows */
	assert_string_equal(outcome.reason, "the record is gone");
	container.has_config = container.config.fail_on_error = true;
	outcome_set_failed(&container, true, &outcome);
	assert_true(outcome.must_fail);
	outcome_set_failed(&container, false, &outcome);
	assert_int_equal(outcome.result, RECORD_NOTHING);
	assert_false(outcome.must_fail);
}
