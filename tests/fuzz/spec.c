/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a config.json: whatever is read keeps to its bounds and its types. */
#include "core/spec/spec.h"
#include "fuzz.h"

static void check_place(const struct json_node *place, size_t size)
{
	if (!place)
		return;
	promise(place->begin <= place->end && place->end <= size);
	json_each(item, place)
		promise(item->end <= place->end);
}

static void check_places(const struct spec *spec, size_t size)
{
	static const char *const members[] = {"env", "rlimits", "capabilities"};

	check_place(spec->process, size);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		check_place(json_find(spec->process, members[i]), size);
	json_each(limit, json_find(spec->process, "rlimits"))
		check_place(limit, size);
	check_place(spec->seccomp.place, size);
	check_place(json_find(spec->seccomp.place, "syscalls"), size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_arena arena = {0};
	struct spec spec;
	struct err err;

	if (spec_parse(&arena, "config.json", (const char *)data, size, &spec, &err) < 0)
		return fuzz_failed(&err);
	check_places(&spec, size);
	promise(spec.n_annotations <= SPEC_ANNOTATIONS_MAX);
	for (size_t i = 0; i < spec.n_annotations; i++)
		promise(spec.annotations[i].offset && spec.annotations[i].offset < size);
	for (size_t i = 0; i < spec.n_env; i++)
		promise(strlen(spec.env[i]) <= size);
	for (size_t i = 0; i < spec.n_devices; i++)
		promise(spec.devices[i].path);
	(void)spec_getenv(&spec, "PATH");
	(void)spec_cgroup_name(&spec);
	promise((spec.seccomp.by_default & ~spec.seccomp.refused) == 0);
	return 0;
}
