/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For the memory checkers, which know where each block of malloc's begins and ends: each allocation
 * is a block of its own, to the byte. */
#ifdef ARENA_EXACT
#define ALIGNMENT 1
#define BLOCK_SIZE_MIN 0
#define BLOCK_SIZE_MAX 0
#define STANDING_SIZE 1
#else
#define ALIGNMENT _Alignof(max_align_t)
/* Each block is twice as large as the last; the first is a page with its struct arena_block. */
#define BLOCK_SIZE_MIN (4096 - 32)
#define BLOCK_SIZE_MAX (1024 * 1024)
#define STANDING_SIZE (128 * 1024)
#endif

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t size;
	_Alignas(max_align_t) unsigned char bytes[];
};

/* The first arena's first block, in which all about a usual container fits. malloc(3) would ask
 * the kernel for several, each of new pages: a sixth of a run's time. */
static union {
	struct arena_block block;
	unsigned char room[STANDING_SIZE];
} standing;

static struct arena_block *add_block(struct arena *arena, size_t size)
{
	struct arena_block *block = &standing.block;

	if (size > PTRDIFF_MAX - sizeof(*block))
		return NULL;
	if (block->size || sizeof(*block) + size >= sizeof(standing))
		block = calloc(1, sizeof(*block) + size);
	else
		size = sizeof(standing) - sizeof(*block);
	if (!block)
		return NULL;
	block->size = size;
	block->next = arena->blocks;
	arena->blocks = block;
	return block;
}

static void drop_block(struct arena_block *block)
{
	if (block == &standing.block)
		memset(block, 0, sizeof(*block) + block->used);
	else
		free(block);
}

static size_t next_size(const struct arena_block *block)
{
	if (!block)
		return BLOCK_SIZE_MIN;
	return block->size <= BLOCK_SIZE_MAX / 2 ? block->size * 2 : BLOCK_SIZE_MAX;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_block *block = arena->blocks;
	size_t aligned = (size + ALIGNMENT - 1) & ~((size_t)ALIGNMENT - 1);
	void *memory;

	if (!block || block->size - block->used < aligned) {
		size_t next = next_size(block);

		block = add_block(arena, aligned > next ? aligned : next);
	}
	if (!block || aligned < size) {
		arena->failed = true;
		return NULL;
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

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = arena_alloc(arena, len < 0 ? SIZE_MAX : (size_t)len + 1);
	if (!text)
		return NULL;
	va_start(args, format);
	(void)vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	return text;
}

/* Room for len bytes more, and a NUL */
static bool grow_text(struct arena_text *text, size_t len)
{
	size_t room = (text->len + len + 1) * 2;
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

void arena_append(struct arena_text *text, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text->failed = text->failed || len < 0 || !grow_text(text, (size_t)len);
	if (text->failed)
		return;
	va_start(args, format);
	(void)vsnprintf(text->text + text->len, (size_t)len + 1, format, args);
	va_end(args);
	text->len += (size_t)len;
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

		drop_block(arena->blocks);
		arena->blocks = next;
	}
	arena->failed = false;
}

void arena_free_text(char **text)
{
	free(*text);
}
