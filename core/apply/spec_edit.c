/* SPDX-License-Identifier: Apache-2.0 */
#include "core/apply/spec_edit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "core/base/text.h"
#include "core/json/writer.h"
#include "core/plan/planning.h"
#include "core/process/memlock.h"
#include "core/spec/seccomp.h"

struct splice {
	size_t begin;
	size_t end;
	const char *text;
};

struct edit {
	struct arena *arena;
	const struct spec *spec;
	const struct plan *plan;
	struct splice *splices;
	size_t n;
	size_t room;
	struct arena_text members; /* "\"env\":[…]" */
};

static void add_splice(struct edit *e, size_t begin, size_t end, const char *text)
{
	struct splice *added = arena_push(e->arena, e->splices, e->n, e->room);

	if (added)
		*added = (struct splice){begin, end, text};
}

static const char *separator(const struct arena_text *list)
{
	return list->len ? "," : "";
}

/* Appends to the array or object at place, or replaces a null; without place adds it to process */
static void append_items(struct edit *e, const struct json_node *place, const char *name,
			 const char *brackets, const struct arena_text *items)
{
	if (!items->len)
		return;
	if (!place) {
		arena_append(&e->members, "%s\"%s\":%c%s%c", separator(&e->members), name,
			     brackets[0], items->text, brackets[1]);
	} else if (place->type == JSON_NULL) {
		add_splice(e, place->begin, place->end,
			   arena_printf(e->arena, "%c%s%c", brackets[0], items->text, brackets[1]));
	} else {
		size_t end = place->end - 1;

		json_each(item, place)
			end = item->end;
		add_splice(
			e, end, end,
			arena_printf(e->arena, "%s%s", json_first(place) ? "," : "", items->text));
	}
}

static void edit_env(struct edit *e)
{
	struct arena_text items = {.arena = e->arena};

	for (size_t i = 0; i < e->plan->n_settings; i++) {
		const struct setting *setting = &e->plan->settings[i];
		const char *entry;

		if (spec_getenv(e->spec, setting->name))
			continue;
		entry = arena_printf(e->arena, "%s=%s", setting->name, setting->value);
		entry = entry ? json_quote(e->arena, entry) : NULL;
		if (!entry)
			return;
		arena_append(&items, "%s%s", separator(&items), entry);
	}
	append_items(e, json_find(e->spec->process, "env"), "env", "[]", &items);
}

/* spec_parse() has checked it; 0: absent */
static uint64_t number_of(const struct json_node *entry, const char *key)
{
	const struct json_node *number = json_find(entry, key);

	return number ? strtoull(number->text, NULL, 10) : 0;
}

static const char *memlock_entry(struct edit *e, const struct rlimit64 *limit)
{
	return arena_printf(
		e->arena, "{\"type\":\"RLIMIT_MEMLOCK\",\"hard\":%" PRIu64 ",\"soft\":%" PRIu64 "}",
		(uint64_t)limit->rlim_max, (uint64_t)limit->rlim_cur);
}

static void edit_memlock(struct edit *e, const struct rlimit64 *inherited)
{
	const struct json_node *place = json_find(e->spec->process, "rlimits");
	struct arena_text items = {.arena = e->arena};
	struct rlimit64 limit = inherited ? *inherited : (struct rlimit64){0};

	if (!e->plan->memlock)
		return;
	/* Raise duplicates too: the runtime may take either. */
	json_each(entry, place) {
		struct rlimit64 listed = {number_of(entry, "soft"), number_of(entry, "hard")};

		if (json_equals(json_find(entry, "type"), "RLIMIT_MEMLOCK") &&
		    memlock_raise(&listed, e->plan->memlock))
			add_splice(e, entry->begin, entry->end, memlock_entry(e, &listed));
	}
	if (e->spec->has_memlock)
		return;
	(void)memlock_raise(&limit, e->plan->memlock);
	arena_append(&items, "%s", memlock_entry(e, &limit));
	append_items(e, place, "rlimits", "[]", &items);
}

static void edit_capabilities(struct edit *e)
{
	const struct json_node *place = json_find(e->spec->process, "capabilities");
	struct arena_text sets = {.arena = e->arena};

	/* Capabilities set in a process.json without any would replace the container's. */
	if ((!place || place->type == JSON_NULL) && e->spec->process_only)
		return;
	for (int set = 0; set < SPEC_CAPABILITY_SETS; set++) {
		const struct json_node *listed = json_find(place, spec_capability_sets[set]);
		const char *const *name =
			capability_names(e->arena, e->plan->granted & ~e->spec->capabilities[set]);
		struct arena_text items = {.arena = e->arena};

		for (; name && *name; name++)
			arena_append(&items, "%s\"%s\"", separator(&items), *name);
		if (listed)
			append_items(e, listed, NULL, "[]", &items);
		else if (items.len)
			arena_append(&sets, "%s\"%s\":[%s]", separator(&sets),
				     spec_capability_sets[set], items.text);
	}
	append_items(e, place, "capabilities", "{}", &sets);
}

static void edit_seccomp(struct edit *e)
{
	const struct json_node *seccomp = e->spec->seccomp.place;
	const struct json_node *syscalls = json_find(seccomp, "syscalls");
	struct arena_text names = {.arena = e->arena};
	struct arena_text rule = {.arena = e->arena};

	if (!e->plan->seccomp || !seccomp)
		return;
	for (size_t i = 0; seccomp_names[i]; i++) {
		if (e->plan->seccomp & (UINT32_C(1) << i))
			arena_append(&names, "%s\"%s\"", separator(&names), seccomp_names[i]);
	}
	arena_append(&rule, "%s{\"names\":[%s],\"action\":\"SCMP_ACT_ALLOW\"}%s",
		     syscalls ? "" : "\"syscalls\":[", names.text, syscalls ? "" : "]");
	append_items(e, syscalls ? syscalls : seccomp, NULL, "[]", &rule);
}

static int compare_splices(const void *a, const void *b)
{
	size_t x = ((const struct splice *)a)->begin;
	size_t y = ((const struct splice *)b)->begin;

	return x < y ? -1 : x > y;
}

int spec_edit(struct arena *arena, const struct fs_text *text, const struct spec *spec,
	      const struct plan *plan, const struct rlimit64 *inherited, struct fs_text *ret_text,
	      struct err *err)
{
	struct edit e = {.arena = arena, .spec = spec, .plan = plan, .members.arena = arena};
	struct arena_text out = {.arena = arena};
	size_t from = 0;

	if (!spec->process)
		return err_set(err,
			       "config.json has no process object, so that nothing can be granted");
	edit_env(&e);
	edit_memlock(&e, inherited);
	edit_capabilities(&e);
	edit_seccomp(&e);
	append_items(&e, spec->process, NULL, "{}", &e.members);
	*ret_text = *text;
	if (!e.n || arena->failed)
		return err_of_arena(arena, err);
	qsort(e.splices, e.n, sizeof(*e.splices), compare_splices);
	for (size_t i = 0; i < e.n; i++) {
		const struct splice *s = &e.splices[i];

		arena_append(&out, "%.*s%s", (int)(s->begin - from), text->bytes + from, s->text);
		from = s->end;
	}
	arena_append(&out, "%.*s", (int)(text->len - from), text->bytes + from);
	if (err_of_arena(arena, err) < 0)
		return -1;
	*ret_text = (struct fs_text){.bytes = out.text, .len = out.len};
	return 0;
}
