/* SPDX-License-Identifier: Apache-2.0 */
/* Memory with one lifetime. Pointers from functions with an arena parameter live in it; without
 * memory they are NULL. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks; /* newest first */
	bool failed;                /* an allocation failed: check once after several */
};

/* Zeroed, aligned for any type; not NULL for size 0 */
void *arena_alloc(struct arena *arena, size_t size) __attribute__((malloc, alloc_size(2)));

char *arena_strndup(struct arena *arena, const char *text, size_t len);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Start with {.arena = …}. .text is NULL until an append. */
struct arena_text {
	struct arena *arena;
	char *text;
	size_t len;
	size_t room;
	bool failed; /* .text keeps its old value */
};

void arena_append(struct arena_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Room for one more item; *capacity counts items. The old array stays valid. */
void *arena_grow(struct arena *arena, void *array, size_t count, size_t *capacity,
		 size_t item_size);

/* Adds an uninitialized item; array, count and capacity must be variables. */
#define arena_push(arena, array, count, capacity)                                                  \
	({                                                                                         \
		__typeof__(array) larger_ =                                                        \
			arena_grow(arena, array, count, &(capacity), sizeof(*larger_));            \
		if (larger_)                                                                       \
			(array) = larger_;                                                         \
		larger_ ? &larger_[(count)++] : NULL;                                              \
	})

/* Leaves the arena empty and usable */
void arena_free(struct arena *arena);

#define cleanup_arena __attribute__((cleanup(arena_free))) struct arena
