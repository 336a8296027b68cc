/* SPDX-License-Identifier: Apache-2.0 */
/* The promises of spec_edit.h, for any text that can be read at all */
#include "edit_oracle.h"

#include "core/apply/spec_edit.h"
#include "core/policy/policy.h"
#include "fuzz.h"

static struct setting hca[] = {{.name = "NCCL_IB_HCA", .value = "=mlx5_6"}};
static struct setting odd[] = {{.name = "NCCL_IB_HCA", .value = "=mlx5_6,mlx5_7:2"},
			       {.name = "QUOTES", .value = "a \"b\" \\c\\ gr\303\266\303\237e"}};

static const struct grant grants[] = {
	{MEMLOCK_UNLIMITED, UINT64_C(1) << 14, hca, 1, 0, {0}},
	{UINT64_C(8) << 20, UINT64_C(1) << 14 | UINT64_C(1) << 23, odd, 2, ~UINT32_C(0), {0}},
	{0, 0, odd, 2, 0, {0}},
};

static int parse(struct arena *arena, const struct fs_text *text, bool whole, struct spec *ret_spec,
		 struct err *err)
{
	return whole ? spec_parse(arena, "config.json", text->bytes, text->len, ret_spec, err)
		     : spec_parse_process(arena, "process.json", text->bytes, text->len, ret_spec,
					  err);
}

static bool has_bytes(const struct json_node *number, uint64_t bytes)
{
	return (number ? strtoull(number->text, NULL, 10) : 0) >= bytes;
}

static void has_limit(const struct spec *spec, const struct grant *grant)
{
	promise(!grant->memlock || spec->has_memlock);
	/* Each entry, also those in front of the last one */
	json_each(entry, json_find(spec->process, "rlimits")) {
		if (!json_equals(json_find(entry, "type"), "RLIMIT_MEMLOCK"))
			continue;
		promise(has_bytes(json_find(entry, "soft"), grant->memlock));
		promise(has_bytes(json_find(entry, "hard"), grant->memlock));
	}
}

static void has_capabilities(const struct spec *spec, const struct grant *grant, bool whole)
{
	const struct json_node *place = json_find(spec->process, "capabilities");

	if (!whole && (!place || place->type == JSON_NULL))
		return;
	for (int set = 0; set < SPEC_CAPABILITY_SETS; set++)
		promise((grant->capabilities & ~spec->capabilities[set]) == 0);
}

static void check_grant(const struct fs_text *text, bool whole, struct grant grant)
{
	cleanup_arena arena = {0};
	struct spec before;
	struct spec after;
	struct fs_text edited;
	struct fs_text again;
	struct err err;

	must(parse(&arena, text, whole, &before, &err));
	if (grant.seccomp)
		grant.seccomp = before.seccomp.by_default;
	if (spec_edit(&arena, text, &before, &grant, &edited, &err) < 0) {
		(void)fuzz_failed(&err);
		promise(!before.process || before.process->type == JSON_NULL);
		return;
	}
	must(parse(&arena, &edited, whole, &after, &err));
	promise(edit_only_adds(text->bytes, arena_strndup(&arena, edited.bytes, edited.len),
			       whole));
	has_limit(&after, &grant);
	has_capabilities(&after, &grant, whole);
	for (size_t i = 0; i < grant.n_settings; i++) {
		const char *had = spec_getenv(&before, grant.settings[i].name);
		const char *has = spec_getenv(&after, grant.settings[i].name);

		promise(has && strcmp(has, had ? had : grant.settings[i].value) == 0);
	}
	promise((after.seccomp.by_default & grant.seccomp) == 0);
	/* As a plan made of the edited text would have it */
	grant.seccomp = after.seccomp.by_default & grant.seccomp;
	must(spec_edit(&arena, &edited, &after, &grant, &again, &err));
	promise(again.len == edited.len && memcmp(again.bytes, edited.bytes, again.len) == 0);
}

int edit_check(const uint8_t *data, size_t size, bool whole)
{
	cleanup_arena arena = {0};
	struct fs_text text = fuzz_text(&arena, data, size);
	struct spec spec;
	struct err err;

	if (parse(&arena, &text, whole, &spec, &err) < 0)
		return fuzz_failed(&err);
	for (size_t i = 0; i < sizeof(grants) / sizeof(grants[0]); i++)
		check_grant(&text, whole, grants[i]);
	return 0;
}
