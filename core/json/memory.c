/* SPDX-License-Identifier: Apache-2.0 */
#include "core/json/memory.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/base/arena.h"

struct memory {
	struct arena arena;
	jmp_buf none_left;
};

/* In front of what yajl gets, since realloc must know how much to copy */
union header {
	size_t size;
	max_align_t aligned;
};

static void *on_malloc(void *context, size_t size)
{
	struct memory *memory = context;
	union header *header = NULL;

	if (size <= SIZE_MAX - sizeof(*header))
		header = arena_alloc(&memory->arena, sizeof(*header) + size);
	if (!header)
		longjmp(memory->none_left, 1);
	header->size = size;
	return header + 1;
}

static void *on_realloc(void *context, void *old, size_t size)
{
	void *larger = on_malloc(context, size);
	size_t len = old ? ((union header *)old - 1)->size : 0;

	if (len)
		memcpy(larger, old, len < size ? len : size);
	return larger;
}

/* All of it goes at once. */
static void on_free(void *context, void *old)
{
	(void)context;
	(void)old;
}

/* Nothing that is changed here is used after longjmp: that would be indeterminate. */
static int call(struct memory *memory, json_body *body, void *context)
{
	yajl_alloc_funcs functions = {
		.malloc = on_malloc, .realloc = on_realloc, .free = on_free, .ctx = memory};

	if (setjmp(memory->none_left) != 0)
		return JSON_NO_MEMORY;
	return body(&functions, context);
}

int json_with_memory(json_body *body, void *context)
{
	struct memory memory = {0};
	int status = call(&memory, body, context);

	arena_free(&memory.arena);
	return status;
}
