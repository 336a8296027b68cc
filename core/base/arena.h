/* SPDX-License-Identifier: Apache-2.0 */
/* Memory with one lifetime: all that is known about a container lives in one arena. Everything here
 * returns NULL if there is no memory; nothing exits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks; /* newest first */
	bool failed; /* an allocation has returned NULL: ask once, behind a step that makes many */
};

/* Zeroed memory, aligned for any type; not NULL for zero bytes: an array may be empty. */
void *arena_alloc(struct arena *arena, size_t size) __attribute__((malloc, alloc_size(2)));

/* A NUL-terminated copy of len bytes. */
char *arena_strndup(struct arena *arena, const char *text, size_t len);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Text that grows; begin with {.arena = …}. .text is NULL as long as nothing was appended. */
struct arena_text {
	struct arena *arena;
	char *text;
	size_t len;
	size_t room;
	bool failed; /* no memory for all of it; .text then stays as it was */
};

void arena_append(struct arena_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Room for one more item behind count items of item_size bytes: returns the array, moved if it had
 * to grow (*capacity is then larger, in items). The old array stays valid. */
void *arena_grow(struct arena *arena, void *array, size_t count, size_t *capacity,
		 size_t item_size);

/* A pointer to one more item, not initialized. array, count and capacity are variables, which
 * change. */
#define arena_push(arena, array, count, capacity)                                                  \
	({                                                                                         \
		__typeof__(array) larger_ =                                                        \
			arena_grow(arena, array, count, &(capacity), sizeof(*larger_));            \
		if (larger_)                                                                       \
			(array) = larger_;                                                         \
		larger_ ? &larger_[(count)++] : NULL;                                              \
	})

/* Frees all that was allocated from the arena, and leaves it empty and usable. */
void arena_free(struct arena *arena);

#define cleanup_arena __attribute__((cleanup(arena_free))) struct arena
