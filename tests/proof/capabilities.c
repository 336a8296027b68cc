/* SPDX-License-Identifier: Apache-2.0 */
/* edit_capabilities() for any grant of 2 capabilities, and any sets that the container has: what is
 * granted is added where it is missing, once, with its commas, and nothing else. */
#include <stdarg.h>
#include <stddef.h>

#include "core/apply/spec_edit.c"

#include "tests/proof/any.h"

#define NAMES 2

const char *const spec_capability_sets[SPEC_CAPABILITY_SETS] = {"0", "1", "2", "3", "4"};
const char *const seccomp_names[1];

static const char *const names[NAMES] = {"a", "b"};
static const char *chosen[NAMES + 1];
static struct json_node process = {.type = JSON_OBJECT};
static struct json_node place = {.begin = 1, .end = 9};
static struct json_node list[SPEC_CAPABILITY_SETS];
static bool has_place;
static bool has_list[SPEC_CAPABILITY_SETS];
static struct spec spec = {.process = &process};
static struct plan plan;
static struct splice splices[SPEC_CAPABILITY_SETS + 1];
static int set = -1;        /* the one that is looked at */
static unsigned named;      /* how many names were written */
static unsigned expected;   /* how many must be */
static unsigned new_sets;   /* written as members of the capabilities object */
static unsigned new_object; /* a capabilities object of our own */

const struct json_node *json_first(const struct json_node *node)
{
	return node->first;
}

const struct json_node *json_find(const struct json_node *object, const char *key)
{
	if (object == &process)
		return has_place ? &place : NULL;
	set = key[0] - '0';
	return object && object->type == JSON_OBJECT && has_list[set] ? &list[set] : NULL;
}

const char *const *capability_names(struct arena *arena, uint64_t mask)
{
	size_t n = 0;

	prove(!(mask & ~plan.granted), "none is added that is not granted");
	prove(!(mask & spec.capabilities[set]), "none that is there");
	prove((mask | spec.capabilities[set]) == (spec.capabilities[set] | plan.granted),
	      "all that is granted is there afterwards");
	for (int bit = 0; bit < NAMES; bit++) {
		if (mask & (UINT64_C(1) << bit))
			chosen[n++] = names[bit];
	}
	chosen[n] = NULL;
	expected += n;
	return chosen;
}

void arena_append(struct arena_text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	const char *comma = va_arg(args, const char *);
	const char *word = va_arg(args, const char *);

	va_end(args);
	prove((comma[0] == ',') == (text->len > 0), "a comma stands between two");
	if (word == names[0] || word == names[1])
		named++;
	else if (word == spec_capability_sets[set])
		new_sets++;
	else
		new_object++;
	text->len++;
	text->text = "x";
}

void *arena_grow(struct arena *arena, void *array, size_t count, size_t *capacity, size_t item_size)
{
	*capacity = SPEC_CAPABILITY_SETS + 1;
	return splices;
}

STUB(char *, arena_printf, (struct arena * arena, const char *format, ...), "x")
STUB(const char *, json_quote, (struct arena * arena, const char *text), "x")
STUB(const char *, spec_getenv, (const struct spec *spec, const char *name), NULL)
STUB(bool, json_equals, (const struct json_node *node, const char *text), false)
STUB(bool, memlock_raise, (struct rlimit64 * limit, uint64_t to), false)
STUB(int, err_sys, (struct err * err, int errnum, const char *format, ...), -1)
STUB(int, err_of_arena, (const struct arena *arena, struct err *err), 0)

int main(void)
{
	struct arena arena = {0};
	struct edit e = {.arena = &arena, .spec = &spec, .plan = &plan};
	unsigned lists = 0;
	unsigned spliced = 0;

	has_place = nondet_bool();
	place.type = nondet_bool() ? JSON_OBJECT : JSON_NULL;
	spec.process_only = nondet_bool();
	plan.granted = nondet_uint64() & 3;
	for (int i = 0; i < SPEC_CAPABILITY_SETS; i++) {
		has_list[i] = nondet_bool();
		list[i] = (struct json_node){.type = JSON_ARRAY, .begin = 2 + i, .end = 4 + i};
		spec.capabilities[i] =
			has_place && place.type == JSON_OBJECT && has_list[i] ? nondet_uint64() : 0;
	}
	edit_capabilities(&e);
	if (spec.process_only && (!has_place || place.type == JSON_NULL)) {
		prove(!named && !e.n && !e.members.len, "an exec without capabilities gets no set");
		return 0;
	}
	prove(named == expected, "each name is written once");
	for (int i = 0; i < SPEC_CAPABILITY_SETS; i++) {
		bool is_new = !(has_place && place.type == JSON_OBJECT && has_list[i]);
		bool added = plan.granted & ~spec.capabilities[i];

		lists += added && is_new;
		if (!added || is_new)
			continue;
		prove(splices[spliced].begin == list[i].end - 1 &&
			      splices[spliced].end == list[i].end - 1,
		      "a name is added to its own set");
		spliced++;
	}
	prove(new_sets == lists, "a set that is missing is added");
	prove(new_object == (lists && !has_place) && e.n == spliced + (lists && has_place),
	      "in the object, or in one of our own");
	return 0;
}
