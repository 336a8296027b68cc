/* SPDX-License-Identifier: Apache-2.0 */
/* Identity by the engine's annotations, request by ours */
#include "suite.h"

UNIT_TEST("labels: a sandbox is known by its type")
{
	cleanup_arena arena = {0};
	struct spec spec;

	must_parse(&arena, "{\"annotations\":{\"io.kubernetes.cri-o.ContainerType\":\"sandbox\"}}",
		   &spec);
	assert_true(spec.identity.sandbox);
	must_parse(&arena,
		   "{\"annotations\":{\"io.kubernetes.cri-o.ContainerType\":\"sandboxes\"}}",
		   &spec);
	assert_false(spec.identity.sandbox);
}

UNIT_TEST("annotations: ours with name, value and line")
{
	static const char text[] =
		"{\"annotations\":{\n\"app\":\"x\",\n\"oci-rdma-hook.io/inject\":\"true\",\n"
		"\"xoci-rdma-hook.io/nccl\":\"false\",\"oci-rdma-hook.io/containers\":\"a,b\"}}";
	cleanup_arena arena = {0};
	const struct spec_annotation *inject;
	struct spec spec;

	must_parse(&arena, text, &spec);
	assert_int_equal(spec.n_annotations, 2);
	inject = spec_annotation(&spec, "inject");
	assert_non_null(inject);
	assert_string_equal(inject->value, "true");
	assert_int_equal(json_line_at(text, inject->offset), 3);
	assert_string_equal(spec.annotations[1].name, "containers");
	assert_int_equal(json_line_at(text, spec.annotations[1].offset), 4);
	assert_null(spec_annotation(&spec, "nccl"));
	assert_null(spec_annotation(&spec, "injec"));
}

static void check_annotation_count(int n)
{
	WITH_ARENA;
	const char *text = "";
	struct spec spec;

	for (int i = 0; i < n; i++)
		text = arena_printf(&arena, "%s%s\"oci-rdma-hook.io/a%d\":\"x\"", text,
				    i ? "," : "", i);
	text = arena_printf(&arena, "{\"annotations\":{%s}}", text);
	assert_int_equal(parse(&arena, text, &spec, &err), n > SPEC_ANNOTATIONS_MAX ? -1 : 0);
	if (n > SPEC_ANNOTATIONS_MAX)
		assert_has(err.text, "more than 64 annotations oci-rdma-hook.io/");
}

UNIT_TEST("annotations: 64 of ours, not 65")
{
	check_annotation_count(SPEC_ANNOTATIONS_MAX);
	check_annotation_count(SPEC_ANNOTATIONS_MAX + 1);
}
