/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/engine/toml_names.h"

#include <stdint.h>
#include <string.h>

#define ROOM_FIRST 64

/* FNV-1a */
static uint64_t hash(const void *scope, const char *name)
{
	uint64_t value = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)(uintptr_t)scope;

	for (; *name; name++)
		value = (value ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return value ^ value >> 32;
}

/* Where it is, or where it would be: at most three of four are taken. */
static struct toml_name **find(const struct toml_names *names, const void *scope, const char *name)
{
	size_t i = hash(scope, name) % names->room;

	while (names->slot[i] &&
	       (names->slot[i]->scope != scope || strcmp(names->slot[i]->name, name) != 0))
		i = (i + 1) % names->room;
	return &names->slot[i];
}

static int grow(struct arena *arena, struct toml_names *names)
{
	struct toml_names larger = {.n = names->n,
				    .room = names->room ? 2 * names->room : ROOM_FIRST};

	if (names->n + 1 < names->room - names->room / 4)
		return 0;
	larger.slot = arena_alloc(arena, larger.room * sizeof(struct toml_name *));
	if (!larger.slot)
		return -1;
	for (size_t i = 0; i < names->room; i++) {
		struct toml_name *old = names->slot[i];

		if (old)
			*find(&larger, old->scope, old->name) = old;
	}
	*names = larger;
	return 0;
}

struct toml_name *toml_name(struct arena *arena, struct toml_names *names, const void *scope,
			    const char *name, enum toml_kind kind, bool *ret_new)
{
	struct toml_name **place;
	struct toml_name *made;

	if (grow(arena, names) < 0)
		return NULL;
	place = find(names, scope, name);
	*ret_new = !*place;
	if (!*ret_new)
		return *place;
	made = arena_alloc(arena, sizeof(*made));
	if (!made)
		return NULL;
	*made = (struct toml_name){.scope = scope, .name = name, .kind = kind, .own = made};
	*place = made;
	names->n++;
	return made;
}
