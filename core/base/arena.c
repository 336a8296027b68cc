/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For the memory checkers */
#ifdef ARENA_EXACT
#define ALIGNMENT 1
#define BLOCK_SIZE 0
#else
#define ALIGNMENT _Alignof(max_align_t)
/* malloc(3) maps this much, zeroed (glibc M_MMAP_THRESHOLD, musl MMAP_THRESHOLD): unused pages are
 * free */
#define BLOCK_SIZE ((size_t)128 * 1024)
#endif

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t size;
	_Alignas(max_align_t) unsigned char bytes[];
};

/* Fits a usual container: the shim must work without malloc(3) */
static union {
	struct arena_block block;
	unsigned char room[sizeof(struct arena_block) + BLOCK_SIZE];
} static_block;

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_block *block = arena->blocks;
	size_t aligned = (size + ALIGNMENT - 1) & ~((size_t)ALIGNMENT - 1);
	void *memory;

	if (!block || block->size - block->used < aligned || aligned < size) {
		size_t room = aligned > BLOCK_SIZE ? aligned : BLOCK_SIZE;

		block = NULL;
		if (size <= PTRDIFF_MAX / 2)
			block = !static_block.block.size && aligned < room
					? &static_block.block
					: calloc(1, sizeof(*block) + room);
		if (!block) {
			arena->failed = true;
			return NULL;
		}
		block->size = room;
		block->next = arena->blocks;
		arena->blocks = block;
	}
	memory = block->bytes + block->used;
	block->used += aligned;
	return memory;
}

char *arena_strndup(struct arena *arena, const char *text, size_t len)
{
	char *copy = arena_alloc(arena, len < SIZE_MAX ? len + 1 : len);

	if (copy && len)
		memcpy(copy, text, len);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

static bool grow_text(struct arena_text *text, size_t len)
{
	size_t room = text->len * 2 + len + 1;
	char *larger;

	if (text->room - text->len > len)
		return true;
	larger = arena_alloc(text->arena, room);
	if (!larger)
		return false;
	if (text->text)
		memcpy(larger, text->text, text->len);
	text->text = larger;
	text->room = room;
	return true;
}

static void append(struct arena_text *text, const char *format, va_list args)
{
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	text->failed = text->failed || len < 0 || !grow_text(text, (size_t)len);
	if (!text->failed)
		text->len +=
			(size_t)vsnprintf(text->text + text->len, (size_t)len + 1, format, args);
}

void arena_append(struct arena_text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append(text, format, args);
	va_end(args);
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	struct arena_text text = {.arena = arena};
	va_list args;

	va_start(args, format);
	append(&text, format, args);
	va_end(args);
	return text.text;
}

void *arena_grow(struct arena *arena, void *array, size_t count, size_t *capacity, size_t item_size)
{
	size_t wanted = *capacity ? *capacity * 2 : 8;
	void *larger;

	if (count < *capacity)
		return array;
	larger = arena_alloc(arena,
			     wanted > SIZE_MAX / 2 / item_size ? SIZE_MAX : wanted * item_size);
	if (!larger)
		return NULL;
	if (count)
		memcpy(larger, array, count * item_size);
	*capacity = wanted;
	return larger;
}

void arena_free(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *next = arena->blocks->next;

		if (arena->blocks != &static_block.block)
			free(arena->blocks);
		arena->blocks = next;
	}
	arena->failed = false;
}
