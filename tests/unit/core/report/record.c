/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a container, and whether its author is told */
#include "tests/unit/unit.h"

#include "core/record/record.h"
#include "core/report/outcome.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct spec_annotation asks[] = {{.name = "inject", .value = "true"}};

static const struct left_case {
	const char *name;
	struct request request;
	size_t n_annotations;
	size_t n_devices;
	const char *doubt;
	bool sandbox;
	bool asked; /* by a CDI hook */
	bool no_id;
	enum record_result result;
	enum { NONE, LEFT, TOLD } want;
} left_cases[] = {
	{"nothing: it asks", LIST(.inject = INJECT_ASKED), 1, .want = TOLD},
	{"nothing: an annotation without inject", LIST(.inject = INJECT_UNSAID), 1, .want = TOLD},
	{"nothing: inject is false: its author knows", LIST(.inject = INJECT_REFUSED), 1,
	 .want = LEFT},
	{"nothing: the annotation names other containers: its author knows",
	 LIST(.inject = INJECT_ASKED, .excludes_this_container = true), 1, .want = LEFT},
	{"nothing: the annotation names containers, and this one's name is unknown",
	 LIST(.inject = INJECT_ASKED, .excludes_this_container = true), 1,
	 .doubt = "annotations of two", .want = TOLD},
	{"nothing: it does not ask, and has a device", .n_devices = 1, .want = LEFT},
	{"nothing: it does not ask, and has none", .want = NONE},
	{"nothing: a CDI hook asks, and it has none", .asked = true, .want = TOLD},
	{"granted: its author sees it", LIST(.inject = INJECT_ASKED), 1, 1,
	 .result = RECORD_GRANTED, .want = LEFT},
	{"failed, whatever it asks", LIST(.inject = INJECT_REFUSED), 1, .result = RECORD_FAILED,
	 .want = TOLD},
	{"failed, and nothing is known", .result = RECORD_FAILED, .want = TOLD},
	{"a sandbox", LIST(.inject = INJECT_ASKED), 1, .sandbox = true, .result = RECORD_DENIED,
	 .want = NONE},
	{"no id", LIST(.inject = INJECT_ASKED), 1, .no_id = true, .result = RECORD_DENIED,
	 .want = NONE},
};

UNIT_ROWS_AS("left: ", left_cases)
{
	cleanup_unit_dir dir = unit_dir_make();
	const struct options options = {.sysroot = dir.path, .engine = "containerd /run/nri"};
	struct device devices[1] = {{.ibdev = "mlx5_6"}};
	cleanup_arena arena = {0};
	struct container container = {
		.id = row->no_id ? NULL : ID,
		.request = row->request,
		.node.root = dir.fd,
		.devices = {devices, row->n_devices},
		.spec = {.annotations = asks,
			 .n_annotations = row->n_annotations,
			 .asked = row->asked,
			 .identity = {.pod = "p",
				      .pod_namespace = "n",
				      .doubt = row->doubt,
				      .sandbox = row->sandbox}},
	};
	struct record record = {0};
	struct err err;

	assert_int_equal(mkdirat(dir.fd, "run", 0755), 0);
	assert_int_equal(record_outcome(&options, &container, row->result, "why", "nri"), 0);
	assert_int_equal(record_read(&arena, dir.fd, ID, &record, &err), row->want != NONE);
	assert_int_equal(record.tell, row->want == TOLD);
	if (row->want != NONE)
		assert_string_equal(record.engine, "containerd /run/nri");
	arena_free(&container.arena);
}

UNIT_TEST("a second entry point changes nothing of a grant, and whose the container is stays known")
{
	cleanup_unit_dir dir = unit_dir_make();
	const struct options nri = {.sysroot = dir.path, .engine = "containerd /run/nri"};
	const struct options other = {.sysroot = dir.path, .engine = "cri-o /run/nri"};
	const struct options hook = {.sysroot = dir.path};
	cleanup_arena arena = {0};
	struct container container = {.id = ID, .node.root = dir.fd, .devices.n = 0};
	struct record record;
	struct err err;

	assert_int_equal(mkdirat(dir.fd, "run", 0755), 0);
	assert_int_equal(record_outcome(&nri, &container, RECORD_GRANTED, "first", "nri"), 0);
	assert_int_equal(record_outcome(&hook, &container, RECORD_GRANTED, "second", "prestart"),
			 1);
	assert_int_equal(record_read(&arena, dir.fd, ID, &record, &err), 1);
	assert_string_equal(record.entry_point, "nri");
	assert_int_equal(record_outcome(&hook, &container, RECORD_FAILED, "second", "prestart"), 0);
	assert_int_equal(record_read(&arena, dir.fd, ID, &record, &err), 1);
	assert_string_equal(record.entry_point, "prestart");
	assert_string_equal(record.engine, "containerd /run/nri");
	/* A later grant is new, and so is another engine's. */
	assert_int_equal(record_outcome(&other, &container, RECORD_GRANTED, "third", "nri"), 0);
	assert_int_equal(record_read(&arena, dir.fd, ID, &record, &err), 1);
	assert_string_equal(record.reason, "third");
	assert_string_equal(record.engine, "cri-o /run/nri");
	arena_free(&container.arena);
}

UNIT_TEST("a tree without /run gets none, and that is no failure; one that cannot be left is")
{
	cleanup_unit_dir dir = unit_dir_make();
	const struct options options = {.sysroot = dir.path};
	struct container container = {.id = ID, .node.root = dir.fd};

	assert_int_equal(record_outcome(&options, &container, RECORD_FAILED, "why", "nri"), 0);
	assert_int_equal(faccessat(dir.fd, "run", F_OK, 0), -1);
	unit_write(dir.fd, "run/oci-rdma-hook", "no directory", 0644);
	assert_int_equal(record_outcome(&options, &container, RECORD_FAILED, "why", "nri"), -1);
	arena_free(&container.arena);
}
