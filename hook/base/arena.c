/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One page less malloc's own words: a container's whole story fits in two or three blocks. Of a
 * longer one each block is twice the last, so that there are few. */
#define BLOCK_SIZE_MIN (4096 - 32)
#define BLOCK_SIZE_MAX (1024 * 1024)

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t size;
	_Alignas(max_align_t) unsigned char bytes[];
};

static struct arena_block *add_block(struct arena *arena, size_t size)
{
	struct arena_block *block;

	if (size > SIZE_MAX - sizeof(*block))
		return NULL;
	block = calloc(1, sizeof(*block) + size);
	if (!block)
		return NULL;
	block->size = size;
	block->next = arena->blocks;
	arena->blocks = block;
	return block;
}

static size_t next_size(const struct arena_block *block)
{
	if (!block)
		return BLOCK_SIZE_MIN;
	return block->size < BLOCK_SIZE_MAX / 2 ? block->size * 2 : BLOCK_SIZE_MAX;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_block *block = arena->blocks;
	size_t aligned = (size + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
	void *memory;

	if (aligned < size)
		return NULL;
	if (!block || block->size - block->used < aligned) {
		size_t next = next_size(block);

		block = add_block(arena, aligned > next ? aligned : next);
	}
	if (!block)
		return NULL;
	memory = block->bytes + block->used;
	block->used += aligned;
	return memory;
}

char *arena_strndup(struct arena *arena, const char *text, size_t len)
{
	char *copy = len < SIZE_MAX ? arena_alloc(arena, len + 1) : NULL;

	if (copy && len)
		memcpy(copy, text, len);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0)
		return NULL;
	text = arena_alloc(arena, (size_t)len + 1);
	if (!text)
		return NULL;
	va_start(args, format);
	(void)vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	return text;
}

void *arena_grow(struct arena *arena, void *array, size_t count, size_t *capacity, size_t item_size)
{
	size_t wanted = *capacity ? *capacity * 2 : 8;
	void *larger;

	if (count < *capacity)
		return array;
	if (wanted > SIZE_MAX / 2 / item_size)
		return NULL;
	larger = arena_alloc(arena, wanted * item_size);
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

		free(arena->blocks);
		arena->blocks = next;
	}
}
