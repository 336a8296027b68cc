/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/missed.h"

#include <stdlib.h>
#include <string.h>

#include "core/note/note.h"

/* ---- notes ---- */

static void begin(struct synchronize *synchronize)
{
	struct arena *arena = &synchronize->arena;
	int n;

	if (synchronize->begun)
		return;
	synchronize->begun = true;
	n = note_list(arena, synchronize->sysroot, &synchronize->notes);
	synchronize->is_there = n > 0 ? arena_alloc(arena, (size_t)n) : NULL;
	synchronize->n_notes = synchronize->is_there ? (size_t)n : 0;
}

struct wanted {
	const char *id;
	size_t len;
};

static int compare(const void *a, const void *b)
{
	const struct wanted *wanted = a;
	const char *id = *(const char *const *)b;
	int order = strncmp(wanted->id, id, wanted->len);

	return order ? order : -(int)(id[wanted->len] != '\0');
}

static void mark_note(struct synchronize *synchronize, const struct message_glance *glance)
{
	const struct wanted wanted = {glance->id, glance->id_len};
	const char **note = synchronize->n_notes && glance->id_len
				    ? bsearch(&wanted, synchronize->notes, synchronize->n_notes,
					      sizeof(*synchronize->notes), compare)
				    : NULL;

	if (note)
		synchronize->is_there[note - synchronize->notes] = true;
}

/* ---- what is kept ---- */

/* The last third of the room is for containers that have a verbs device: what else is kept is what
 * a pod's author says. */
#define OTHERS_MAX (SYNCHRONIZE_SIZE_MAX / 3 * 2)

static bool has_room(struct synchronize *synchronize, size_t len, size_t max)
{
	size_t size = len + sizeof(struct known);

	if (synchronize->used + size > max)
		return false;
	synchronize->used += size;
	return true;
}

static bool keep(struct arena *arena, struct known **list, size_t *n, size_t *room, const char *id,
		 const struct message *message)
{
	struct known *larger = arena_grow(arena, *list, *n, room, sizeof(*larger));
	char *bytes =
		larger ? arena_strndup(arena, (const char *)message->bytes, message->len) : NULL;
	char *name = bytes ? arena_strdup(arena, id) : NULL;

	if (!name)
		return false;
	*list = larger;
	larger[(*n)++] = (struct known){name, {(const unsigned char *)bytes, message->len}};
	return true;
}

void synchronize_pod(struct synchronize *synchronize, const struct message *message)
{
	cleanup_arena arena = {0};
	struct message reduced;
	const char *id;
	bool asks;

	begin(synchronize);
	if (message_reduce_pod(&arena, message, &id, &asks, &reduced) < 0)
		return;
	/* One without an annotation has only a name and a namespace to tell. */
	if (!has_room(synchronize, reduced.len + strlen(id) + 1,
		      asks ? OTHERS_MAX : SYNCHRONIZE_SIZE_MAX / 3) ||
	    !keep(&synchronize->arena, &synchronize->pods, &synchronize->n_pods,
		  &synchronize->pods_room, id, &reduced))
		synchronize->left_out += asks;
}

/* Without a verbs device only one that may use every device of the node has what its environment
 * names. */
static bool has_every_device(struct arena *arena, const struct message *reduced)
{
	struct spec spec;
	struct err ignored;

	return message_read_container(arena, NULL, reduced, &spec, &ignored) == 0 &&
	       spec.every_device;
}

void synchronize_container(struct synchronize *synchronize, const struct message *message)
{
	cleanup_arena arena = {0};
	struct message_glance glance;
	struct message reduced;
	const char *id;

	begin(synchronize);
	message_glance(message, &glance);
	mark_note(synchronize, &glance);
	if (glance.stopped || !glance.may_have_device)
		return;
	id = arena_strndup(&arena, glance.id, glance.id_len);
	if (!id || message_reduce_container(&arena, message, &reduced) < 0) {
		synchronize->left_out++;
		return;
	}
	if (!glance.has_verbs && !has_every_device(&arena, &reduced))
		return;
	if (!has_room(synchronize, reduced.len + glance.id_len + 1,
		      glance.has_verbs ? SYNCHRONIZE_SIZE_MAX : OTHERS_MAX) ||
	    !keep(&synchronize->arena, &synchronize->containers, &synchronize->n_containers,
		  &synchronize->containers_room, id, &reduced))
		synchronize->left_out++;
}

/* ---- all have come by ---- */

void synchronize_finish(struct synchronize *synchronize, bool whole)
{
	begin(synchronize);
	for (size_t i = 0; whole && i < synchronize->n_notes; i++) {
		if (!synchronize->is_there[i] &&
		    !note_is_new(synchronize->sysroot, synchronize->notes[i]))
			note_remove(synchronize->sysroot, synchronize->notes[i]);
	}
}

const struct message *synchronize_find_pod(const struct synchronize *synchronize, const char *id)
{
	for (size_t i = 0; i < synchronize->n_pods; i++) {
		if (strcmp(synchronize->pods[i].id, id) == 0)
			return &synchronize->pods[i].message;
	}
	return NULL;
}

void synchronize_free(struct synchronize *synchronize)
{
	arena_free(&synchronize->arena);
	*synchronize = (struct synchronize){.sysroot = synchronize->sysroot};
}
