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
	const struct spec_places *places = &spec->places;

	check_place(places->process, size);
	check_place(places->env, size);
	check_place(places->rlimits, size);
	check_place(places->capabilities, size);
	check_place(places->seccomp, size);
	check_place(places->syscalls, size);
	for (size_t i = 0; i < places->n_memlock; i++)
		check_place(places->memlock[i].place, size);
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
	promise(!spec.has_memlock == !spec.places.n_memlock);
	for (size_t i = 0; i < spec.n_env; i++)
		promise(strlen(spec.env[i]) <= size);
	for (size_t i = 0; i < spec.n_devices; i++)
		promise(spec.devices[i].path);
	(void)spec_getenv(&spec, "PATH");
	(void)spec_cgroup_name(&spec);
	(void)seccomp_refused_by_default(&spec.seccomp);
	return 0;
}
