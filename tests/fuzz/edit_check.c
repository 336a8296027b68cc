/* SPDX-License-Identifier: Apache-2.0 */
/* The promises of spec_edit.h, for any text that can be read at all */
#include "edit_oracle.h"

#include "core/apply/spec_edit.h"
#include "core/policy/policy.h"
#include "fuzz.h"

static struct setting hca[] = {{.name = "NCCL_IB_HCA", .value = "=mlx5_6"}};
static struct setting odd[] = {{.name = "NCCL_IB_HCA", .value = "=mlx5_6,mlx5_7:2"},
			       {.name = "QUOTES", .value = "a \"b\" \\c\\ gr\303\266\303\237e"}};

static const struct plan plans[] = {
	{.memlock = MEMLOCK_UNLIMITED,
	 .granted = UINT64_C(1) << 14,
	 .settings = hca,
	 .n_settings = 1},
	{.memlock = UINT64_C(8) << 20,
	 .granted = UINT64_C(1) << 14 | UINT64_C(1) << 23,
	 .settings = odd,
	 .n_settings = 2,
	 .seccomp = ~UINT32_C(0)},
	{.settings = odd, .n_settings = 2},
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

static void has_limit(const struct spec *spec, const struct plan *plan)
{
	promise(!plan->memlock || spec->has_memlock);
	/* Each entry, also those in front of the last one */
	json_each(entry, json_find(spec->process, "rlimits")) {
		if (!json_equals(json_find(entry, "type"), "RLIMIT_MEMLOCK"))
			continue;
		promise(has_bytes(json_find(entry, "soft"), plan->memlock));
		promise(has_bytes(json_find(entry, "hard"), plan->memlock));
	}
}

static void has_capabilities(const struct spec *spec, const struct plan *plan, bool whole)
{
	const struct json_node *place = json_find(spec->process, "capabilities");

	if (!whole && (!place || place->type == JSON_NULL))
		return;
	for (int set = 0; set < SPEC_CAPABILITY_SETS; set++)
		promise((plan->granted & ~spec->capabilities[set]) == 0);
}

static void check_grant(const struct fs_text *text, bool whole, struct plan plan)
{
	cleanup_arena arena = {0};
	struct spec before;
	struct spec after;
	struct fs_text edited;
	struct fs_text again;
	struct err err;

	must(parse(&arena, text, whole, &before, &err));
	if (plan.seccomp)
		plan.seccomp = before.seccomp.by_default;
	if (spec_edit(&arena, text, &before, &plan, NULL, &edited, &err) < 0) {
		(void)fuzz_failed(&err);
		promise(!before.process);
		return;
	}
	must(parse(&arena, &edited, whole, &after, &err));
	promise(edit_only_adds(text->bytes, arena_strndup(&arena, edited.bytes, edited.len),
			       whole));
	has_limit(&after, &plan);
	has_capabilities(&after, &plan, whole);
	for (size_t i = 0; i < plan.n_settings; i++) {
		const char *had = spec_getenv(&before, plan.settings[i].name);
		const char *has = spec_getenv(&after, plan.settings[i].name);

		promise(has && strcmp(has, had ? had : plan.settings[i].value) == 0);
	}
	promise((after.seccomp.by_default & plan.seccomp) == 0);
	/* As a plan made of the edited text would have it */
	plan.seccomp = after.seccomp.by_default & plan.seccomp;
	must(spec_edit(&arena, &edited, &after, &plan, NULL, &again, &err));
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
	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++)
		check_grant(&text, whole, plans[i]);
	return 0;
}
