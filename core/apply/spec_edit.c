/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "core/apply/spec_edit.h"
#include "core/base/text.h"
#include "core/json/writer.h"

/* text[begin..end) becomes .text */
struct splice {
	size_t begin;
	size_t end;
	const char *text;
};

struct edit {
	struct arena *arena;
	const struct spec *spec;
	const struct grant *grant;
	struct splice *splices;
	size_t n;
	size_t room;
	struct arena_text members; /* of the process object that it does not have: "\"env\":[…]" */
};

struct grant grant_of_plan(const struct plan *plan)
{
	return (struct grant){
		.memlock = plan->memlock,
		.capabilities = plan->granted,
		.settings = plan->settings,
		.n_settings = plan->n_settings,
		.seccomp = plan->seccomp,
	};
}

/* ---- pieces: without memory, only the arena says so ---- */

static void splice(struct edit *e, size_t begin, size_t end, const char *text)
{
	struct splice *added = arena_push(e->arena, e->splices, e->n, e->room);

	if (added)
		*added = (struct splice){begin, end, text};
}

/* Separates the next item of a list from the one before. */
static void begin_item(struct arena_text *list)
{
	if (list->len)
		arena_append(list, ",");
}

/*
 * Adds joined items or members to the end of the array or object at place, if there are any; a null
 * is replaced by one of them. name: of the member of the process object that is made if there is no
 * place. brackets: "[]" or "{}"
 */
static void add_to(struct edit *e, const struct json_node *place, const char *name,
		   const char *brackets, const struct arena_text *items)
{
	if (!items->len)
		return;
	if (!place) {
		begin_item(&e->members);
		arena_append(&e->members, "\"%s\":%c%s%c", name, brackets[0], items->text,
			     brackets[1]);
	} else if (place->type == JSON_NULL) {
		splice(e, place->begin, place->end,
		       arena_printf(e->arena, "%c%s%c", brackets[0], items->text, brackets[1]));
	} else {
		size_t end = place->end - 1;

		json_each(item, place)
			end = item->end;
		splice(e, end, end,
		       arena_printf(e->arena, "%s%s", json_first(place) ? "," : "", items->text));
	}
}

/* ---- env ---- */

static void edit_env(struct edit *e)
{
	const struct json_node *place = e->spec->places.env;
	struct arena_text items = {.arena = e->arena};

	for (size_t i = 0; i < e->grant->n_settings; i++) {
		const struct setting *setting = &e->grant->settings[i];
		const char *entry;

		if (spec_getenv(e->spec, setting->name))
			continue;
		entry = arena_printf(e->arena, "%s=%s", setting->name, setting->value);
		entry = entry ? json_quote(e->arena, entry) : NULL;
		if (!entry)
			return;
		begin_item(&items);
		arena_append(&items, "%s", entry);
	}
	add_to(e, place, "env", "[]", &items);
}

/* ---- rlimits ---- */

static const char *memlock_entry(struct edit *e, const struct rlimit64 *limit)
{
	return arena_printf(
		e->arena, "{\"type\":\"RLIMIT_MEMLOCK\",\"hard\":%" PRIu64 ",\"soft\":%" PRIu64 "}",
		(uint64_t)limit->rlim_max, (uint64_t)limit->rlim_cur);
}

static void edit_memlock(struct edit *e)
{
	const struct spec_places *places = &e->spec->places;
	struct arena_text items = {.arena = e->arena};
	struct rlimit64 limit = e->grant->inherited;
	const char *entry;

	if (!e->grant->memlock)
		return;
	/* A spec with two entries of one type is invalid. Raise both: whichever the runtime takes
	 * is then right. */
	for (size_t i = 0; i < places->n_memlock; i++) {
		const struct spec_rlimit *old = &places->memlock[i];
		struct rlimit64 listed = {.rlim_cur = old->soft, .rlim_max = old->hard};

		if (memlock_raise(&listed, e->grant->memlock))
			splice(e, old->place->begin, old->place->end, memlock_entry(e, &listed));
	}
	if (places->n_memlock)
		return;
	(void)memlock_raise(&limit, e->grant->memlock);
	entry = memlock_entry(e, &limit);
	if (entry)
		arena_append(&items, "%s", entry);
	add_to(e, places->rlimits, "rlimits", "[]", &items);
}

/* ---- capabilities ---- */

static const char *const set_names[] = {
	[SPEC_BOUNDING] = "bounding",   [SPEC_EFFECTIVE] = "effective",
	[SPEC_PERMITTED] = "permitted", [SPEC_INHERITABLE] = "inheritable",
	[SPEC_AMBIENT] = "ambient",
};

static struct arena_text capability_items(struct edit *e, uint64_t capabilities)
{
	const char *const *name = capability_names(e->arena, capabilities);
	struct arena_text items = {.arena = e->arena};

	for (; name && *name; name++) {
		begin_item(&items);
		arena_append(&items, "\"%s\"", *name);
	}
	return items;
}

static void edit_capabilities(struct edit *e)
{
	const struct json_node *place = e->spec->places.capabilities;
	struct arena_text sets = {.arena = e->arena};

	/* For a process.json without capabilities the runtime takes the container's, which we have
	 * edited; a set of ours would replace all of them. */
	if ((!place || place->type == JSON_NULL) && e->spec->process_only)
		return;
	for (int set = 0; set < SPEC_CAPABILITY_SETS; set++) {
		const struct json_node *listed = e->spec->places.sets[set];
		uint64_t missing = e->grant->capabilities & ~e->spec->capabilities[set];
		struct arena_text items = capability_items(e, missing);

		if (listed) {
			add_to(e, listed, NULL, "[]", &items);
		} else if (items.len) {
			begin_item(&sets);
			arena_append(&sets, "\"%s\":[%s]", set_names[set], items.text);
		}
	}
	add_to(e, place, "capabilities", "{}", &sets);
}

/* ---- linux.seccomp ---- */

static void edit_seccomp(struct edit *e)
{
	const struct json_node *seccomp = e->spec->places.seccomp;
	const struct json_node *syscalls = e->spec->places.syscalls;
	struct arena_text rule = {.arena = e->arena};

	if (!e->grant->seccomp || !seccomp || seccomp->type == JSON_NULL)
		return;
	arena_append(&rule, "%s{\"names\":[", syscalls ? "" : "\"syscalls\":[");
	for (size_t i = 0, n = 0; seccomp_names[i]; i++) {
		if (e->grant->seccomp & (UINT32_C(1) << i))
			arena_append(&rule, "%s\"%s\"", n++ ? "," : "", seccomp_names[i]);
	}
	arena_append(&rule, "],\"action\":\"SCMP_ACT_ALLOW\"}%s", syscalls ? "" : "]");
	add_to(e, syscalls ? syscalls : seccomp, NULL, "[]", &rule);
}

/* ---- the whole ---- */

static int compare_splices(const void *a, const void *b)
{
	size_t x = ((const struct splice *)a)->begin;
	size_t y = ((const struct splice *)b)->begin;

	return x < y ? -1 : x > y;
}

int spec_edit(struct arena *arena, const struct fs_text *text, const struct spec *spec,
	      const struct grant *grant, struct fs_text *ret_text, struct err *err)
{
	struct edit e = {.arena = arena, .spec = spec, .grant = grant, .members.arena = arena};
	const struct json_node *process = spec->places.process;
	struct arena_text out = {.arena = arena};
	size_t from = 0;

	if (!process || process->type == JSON_NULL)
		return err_set(err,
			       "config.json has no process object, so that nothing can be granted");
	edit_env(&e);
	edit_memlock(&e);
	edit_capabilities(&e);
	edit_seccomp(&e);
	add_to(&e, process, NULL, "{}", &e.members);
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

/* ---- what a runtime may give ---- */

int limit_inherit(struct grant *grant, struct err *err)
{
	if (getrlimit64(RLIMIT_MEMLOCK, &grant->inherited) < 0)
		return err_sys(err, errno, "RLIMIT_MEMLOCK");
	return 0;
}
