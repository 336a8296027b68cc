/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/apply/spec_edit.h"
#include "core/base/capability.h"
#include "core/json/writer.h"

/* text[begin..end) becomes .text */
struct splice {
	size_t begin;
	size_t end;
	const char *text;
};

struct edit {
	struct arena *arena;
	const struct fs_text *text;
	const struct spec *spec;
	const struct grant *grant;
	struct splice *splices;
	size_t n;
	size_t room;
	const char *members; /* of the process object that it does not have: "\"rlimits\":[…]" */
	const char *const *capabilities; /* the names of the grant's */
};

struct grant grant_of_plan(const struct plan *plan)
{
	return (struct grant){
		.memlock = plan->sets_memlock ? plan->memlock : 0,
		.capabilities = plan->granted,
		.settings = plan->settings,
		.n_settings = plan->n_settings,
		.seccomp = plan->seccomp,
	};
}

/* ---- pieces ---- */

static int splice(struct edit *e, size_t begin, size_t end, const char *text)
{
	struct splice *added = text ? arena_push(e->arena, e->splices, e->n, e->room) : NULL;

	if (!added)
		return -1;
	*added = (struct splice){begin, end, text};
	return 0;
}

/* The white space after an opening bracket: new items are indented like the old ones. */
static const char *separator(struct edit *e, size_t opening)
{
	const char *after = e->text->bytes + opening + 1;

	return arena_strndup(e->arena, after, strspn(after, " \t\r\n"));
}

static bool is_absent(const struct json_span *span)
{
	return span->end == 0;
}

/* Appends an item to a list. comma: the white space after each comma */
static const char *join_items(struct edit *e, const char *list, const char *comma, const char *item)
{
	if (!list || !comma || !item)
		return NULL;
	return list[0] ? arena_printf(e->arena, "%s,%s%s", list, comma, item)
		       : arena_strdup(e->arena, item);
}

/* Appends joined items or members to an array or object, indented like its first one. */
static int append(struct edit *e, const struct json_span *span, const char *list)
{
	const char *space;

	if (!span->last_end)
		return splice(e, span->end - 1, span->end - 1, list);
	space = separator(e, span->begin);
	return splice(e, span->last_end, span->last_end,
		      list && space ? arena_printf(e->arena, ",%s%s", space, list) : NULL);
}

/* Appends joined items to the array at span, or replaces a null by an array of them. */
static int add_to_array(struct edit *e, const struct json_span *span, const char *items)
{
	if (!span->is_null)
		return append(e, span, items);
	return splice(e, span->begin, span->end,
		      items ? arena_printf(e->arena, "[%s]", items) : NULL);
}

/* The white space between the items of this array; "" if it is empty or absent */
static const char *item_space(struct edit *e, const struct json_span *span)
{
	return span->last_end ? separator(e, span->begin) : "";
}

static int add_member(struct edit *e, const char *name, const char *value)
{
	const char *space = separator(e, e->spec->places.process.begin);
	const char *member = value ? arena_printf(e->arena, "\"%s\":%s", name, value) : NULL;

	e->members = join_items(e, e->members, space, member);
	return e->members ? 0 : -1;
}

/* ---- env ---- */

static int edit_env(struct edit *e)
{
	const struct json_span *place = &e->spec->places.env;
	const char *space = item_space(e, place);
	const char *items = "";

	for (size_t i = 0; items && i < e->grant->n_settings; i++) {
		const struct setting *setting = &e->grant->settings[i];
		const char *entry;

		if (spec_getenv(e->spec, setting->name))
			continue;
		entry = arena_printf(e->arena, "%s=%s", setting->name, setting->value);
		items = join_items(e, items, space, entry ? json_quote(e->arena, entry) : NULL);
	}
	if (!items)
		return -1;
	if (!items[0])
		return 0;
	if (is_absent(place))
		return add_member(e, "env", arena_printf(e->arena, "[%s]", items));
	return add_to_array(e, place, items);
}

/* ---- rlimits ---- */

/* NULL without memory */
static const char *memlock_entry(struct edit *e, const struct rlimit64 *limit)
{
	return arena_printf(
		e->arena, "{\"type\":\"RLIMIT_MEMLOCK\",\"hard\":%" PRIu64 ",\"soft\":%" PRIu64 "}",
		(uint64_t)limit->rlim_max, (uint64_t)limit->rlim_cur);
}

static int edit_memlock(struct edit *e)
{
	const struct spec_places *places = &e->spec->places;
	struct rlimit64 limit = e->grant->inherited;
	const char *entry;

	if (!e->grant->memlock)
		return 0;
	/* A spec with two entries of one type is invalid. Raise both: whichever the runtime takes
	 * is then right. */
	for (size_t i = 0; i < places->n_memlock; i++) {
		const struct spec_rlimit *old = &places->memlock[i];
		struct rlimit64 listed = {.rlim_cur = old->soft, .rlim_max = old->hard};

		if (memlock_raise(&listed, e->grant->memlock) &&
		    splice(e, old->span.begin, old->span.end, memlock_entry(e, &listed)) < 0)
			return -1;
	}
	if (places->n_memlock)
		return 0;
	(void)memlock_raise(&limit, e->grant->memlock);
	entry = memlock_entry(e, &limit);
	if (is_absent(&places->rlimits))
		return add_member(e, "rlimits",
				  entry ? arena_printf(e->arena, "[%s]", entry) : NULL);
	return add_to_array(e, &places->rlimits, entry);
}

/* ---- capabilities ---- */

static const char *const set_names[] = {
	[SPEC_BOUNDING] = "bounding",   [SPEC_EFFECTIVE] = "effective",
	[SPEC_PERMITTED] = "permitted", [SPEC_INHERITABLE] = "inheritable",
	[SPEC_AMBIENT] = "ambient",
};

/* missing: of the grant's */
static const char *capability_items(struct edit *e, uint64_t missing, const char *space)
{
	const char *const *name = e->capabilities;
	const char *items = "";

	for (int number = 0; items && *name; number++) {
		uint64_t bit = UINT64_C(1) << number;

		if (missing & bit)
			items = join_items(e, items, space, json_quote(e->arena, *name));
		if (e->grant->capabilities & bit)
			name++;
	}
	return items;
}

/* The sets that the capabilities object lacks, as new members; "" if none is needed */
static const char *absent_sets(struct edit *e, const char *space)
{
	const char *members = "";

	for (int set = 0; members && set < SPEC_CAPABILITY_SETS; set++) {
		const char *items;

		if (!is_absent(&e->spec->places.sets[set]))
			continue;
		items = capability_items(e, e->grant->capabilities, "");
		members = join_items(
			e, members, space,
			items ? arena_printf(e->arena, "\"%s\":[%s]", set_names[set], items)
			      : NULL);
	}
	return members;
}

static int edit_present_sets(struct edit *e)
{
	for (int set = 0; set < SPEC_CAPABILITY_SETS; set++) {
		const struct json_span *place = &e->spec->places.sets[set];
		uint64_t missing = e->grant->capabilities & ~e->spec->capabilities[set];

		if (is_absent(place) || !missing)
			continue;
		if (add_to_array(e, place, capability_items(e, missing, item_space(e, place))) < 0)
			return -1;
	}
	return 0;
}

/* The whole member, which is absent or null */
static int make_capabilities(struct edit *e, const struct json_span *place)
{
	const char *sets = absent_sets(e, "");
	const char *object = sets ? arena_printf(e->arena, "{%s}", sets) : NULL;

	return is_absent(place) ? add_member(e, "capabilities", object)
				: splice(e, place->begin, place->end, object);
}

static int add_absent_sets(struct edit *e, const struct json_span *place)
{
	const char *space = separator(e, place->begin);
	const char *sets = space ? absent_sets(e, space) : NULL;

	return sets && !sets[0] ? 0 : append(e, place, sets);
}

static int edit_capabilities(struct edit *e)
{
	const struct json_span *place = &e->spec->places.capabilities;
	bool has_none = is_absent(place) || place->is_null;

	/* For a process.json without capabilities the runtime takes the container's, which we have
	 * edited; a set of ours would replace all of them. */
	if (!e->grant->capabilities || (has_none && e->spec->process_only))
		return 0;
	e->capabilities = capability_names(e->arena, e->grant->capabilities);
	if (!e->capabilities)
		return -1;
	if (has_none)
		return make_capabilities(e, place);
	return add_absent_sets(e, place) < 0 ? -1 : edit_present_sets(e);
}

/* ---- linux.seccomp ---- */

static const char *allow_rule(struct edit *e)
{
	const char *items = "";

	for (size_t i = 0; items && i < seccomp_count(); i++) {
		if (e->grant->seccomp & (UINT32_C(1) << i))
			items = join_items(e, items, "", json_quote(e->arena, seccomp_name(i)));
	}
	return items ? arena_printf(e->arena, "{\"names\":[%s],\"action\":\"SCMP_ACT_ALLOW\"}",
				    items)
		     : NULL;
}

static int edit_seccomp(struct edit *e)
{
	const struct json_span *seccomp = &e->spec->places.seccomp;
	const struct json_span *syscalls = &e->spec->places.syscalls;
	const char *rule;

	if (!e->grant->seccomp || is_absent(seccomp) || seccomp->is_null)
		return 0;
	rule = allow_rule(e);
	if (!is_absent(syscalls))
		return add_to_array(e, syscalls, rule);
	/* It has a defaultAction, or it would refuse nothing by default. */
	return splice(e, seccomp->last_end, seccomp->last_end,
		      rule ? arena_printf(e->arena, ",\"syscalls\":[%s]", rule) : NULL);
}

/* ---- the whole ---- */

static int compare_splices(const void *a, const void *b)
{
	size_t x = ((const struct splice *)a)->begin;
	size_t y = ((const struct splice *)b)->begin;

	return x < y ? -1 : x > y;
}

static int assemble(struct edit *e, struct fs_text *ret_text)
{
	struct fs_text out = {0};
	size_t size = e->text->len + 1;
	size_t from = 0;

	qsort(e->splices, e->n, sizeof(*e->splices), compare_splices);
	for (size_t i = 0; i < e->n; i++)
		size += strlen(e->splices[i].text);
	out.bytes = arena_alloc(e->arena, size);
	if (!out.bytes)
		return -1;
	for (size_t i = 0; i < e->n; i++) {
		const struct splice *s = &e->splices[i];
		size_t added = strlen(s->text);

		memcpy(out.bytes + out.len, e->text->bytes + from, s->begin - from);
		out.len += s->begin - from;
		memcpy(out.bytes + out.len, s->text, added);
		out.len += added;
		from = s->end;
	}
	memcpy(out.bytes + out.len, e->text->bytes + from, e->text->len - from);
	out.len += e->text->len - from;
	*ret_text = out;
	return 0;
}

int spec_edit(struct arena *arena, const struct fs_text *text, const struct spec *spec,
	      const struct grant *grant, struct fs_text *ret_text, struct err *err)
{
	struct edit edit = {
		.arena = arena, .text = text, .spec = spec, .grant = grant, .members = ""};

	if (is_absent(&spec->places.process) || spec->places.process.is_null)
		return err_set(err,
			       "config.json has no process object, so that nothing can be granted");
	if (edit_env(&edit) < 0 || edit_memlock(&edit) < 0 || edit_capabilities(&edit) < 0 ||
	    edit_seccomp(&edit) < 0 ||
	    (edit.members[0] && append(&edit, &spec->places.process, edit.members) < 0))
		return err_memory(err);
	if (!edit.n) {
		*ret_text = *text;
		return 0;
	}
	return assemble(&edit, ret_text) < 0 ? err_memory(err) : 0;
}

/* ---- what a runtime may give ---- */

int limit_inherit(struct grant *grant, struct err *err)
{
	if (getrlimit64(RLIMIT_MEMLOCK, &grant->inherited) < 0)
		return err_sys(err, errno, "RLIMIT_MEMLOCK");
	return 0;
}
