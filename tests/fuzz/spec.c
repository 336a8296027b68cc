/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a config.json: whatever is read keeps to its bounds and its types. */
#include "core/spec/spec.h"
#include "fuzz.h"

static void check_span(const struct json_span *span, size_t size)
{
	promise(span->begin <= span->end && span->end <= size && span->last_end <= span->end);
}

static void check_places(const struct spec *spec, size_t size)
{
	const struct spec_places *places = &spec->places;

	check_span(&places->process, size);
	check_span(&places->env, size);
	check_span(&places->rlimits, size);
	check_span(&places->capabilities, size);
	check_span(&places->seccomp, size);
	check_span(&places->syscalls, size);
	for (size_t i = 0; i < places->n_memlock; i++)
		check_span(&places->memlock[i].span, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_arena arena = {0};
	struct spec spec;
	struct err err;
	uint64_t host;

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
	(void)spec_host_id(spec.uid_map, spec.n_uid_map, 0, &host);
	(void)seccomp_refused_by_default(&spec.seccomp);
	return 0;
}
