/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * For the memory checkers, which know where each block of malloc's begins and ends: ARENA_EXACT
 * makes each allocation a block of its own, to the byte.
 */
#ifdef ARENA_EXACT
#define ARENA_STANDING 0
#define ALIGNMENT 1
#define BLOCK_SIZE_MIN 0
#define BLOCK_SIZE_MAX 0
#else
#define ALIGNMENT _Alignof(max_align_t)
/* Each block of an arena is twice as large as the last, so that there are few; the first is a page
 * with its struct arena_block. */
#define BLOCK_SIZE_MIN (4096 - 32)
#define BLOCK_SIZE_MAX (1024 * 1024)
#endif

/* Builds that watch malloc have no standing blocks (tests/safety.mk). */
#ifndef ARENA_STANDING
#define ARENA_STANDING 3
#endif

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t size; /* 0: not in use */
	unsigned char *bytes;
};

/*
 * Static blocks, free again when their arena is freed: one for everything about a container, one
 * for its record, one for each text that is parsed or written meanwhile. Their untouched pages cost
 * nothing, while malloc asks the kernel for each block, returns it, and gets it again as unmapped
 * pages: that was a third of a run's page faults.
 *
 * Their heads are in .data, whose page every run touches; in .bss, behind the bytes, they would
 * touch a page more.
 */
static struct arena_block standing[ARENA_STANDING] __attribute__((section(".data")));
static _Alignas(max_align_t) unsigned char standing_bytes[ARENA_STANDING][128 * 1024];

static struct arena_block *take_standing(size_t size)
{
	for (int i = 0; i < ARENA_STANDING; i++) {
		if (standing[i].size || size > sizeof(standing_bytes[i]))
			continue;
		standing[i].size = sizeof(standing_bytes[i]);
		standing[i].bytes = standing_bytes[i];
		return &standing[i];
	}
	return NULL;
}

static struct arena_block *new_block(size_t size)
{
	struct arena_block *block = take_standing(size);

	_Static_assert(sizeof(*block) % _Alignof(max_align_t) == 0, "bytes are aligned");
	if (block || size > PTRDIFF_MAX - sizeof(*block))
		return block;
	block = calloc(1, sizeof(*block) + size);
	if (!block)
		return NULL;
	block->size = size;
	block->bytes = (unsigned char *)(block + 1);
	return block;
}

static void drop_block(struct arena_block *block)
{
	for (int i = 0; i < ARENA_STANDING; i++) {
		if (block != &standing[i])
			continue;
		memset(block->bytes, 0, block->used);
		*block = (struct arena_block){0};
		return;
	}
	free(block);
}

static struct arena_block *add_block(struct arena *arena, size_t size)
{
	struct arena_block *block = new_block(size);

	if (!block)
		return NULL;
	block->next = arena->blocks;
	arena->blocks = block;
	return block;
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
