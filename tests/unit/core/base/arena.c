/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <sys/resource.h>

/* With the sanitizers' allocator this would end the process. */
#ifdef ARENA_EXACT
#define LIMITS false
#else
#define LIMITS true
#endif

/* More than a block, in pieces around each doubled size */
#define PIECES 3000
/* core/base/arena.c: BLOCK_SIZE */
#define BLOCK ((size_t)128 * 1024)

/* First: only a process' first allocation finds the static block unused. */
UNIT_TEST("arena: sizes that overflow are no memory")
{
	cleanup_arena arena = {0};
	size_t room = SIZE_MAX / 8;
	/* volatile, or the compiler warns of the overflow */
	volatile size_t most = SIZE_MAX;

	assert_false(arena.failed);
	assert_null(arena_alloc(&arena, most));
	assert_true(arena.failed);
	/* Later successes do not clear it. */
	assert_non_null(arena_alloc(&arena, 1));
	assert_true(arena.failed);
	assert_null(arena_alloc(&arena, most));
	arena_free(&arena);
	assert_false(arena.failed);
	assert_null(arena_alloc(&arena, most - 15));
	assert_null(arena_alloc(&arena, most - 40));
	arena_free(&arena);
	assert_null(arena_strndup(&arena, "", most));
	assert_true(arena.failed);
	arena_free(&arena);
	assert_null(arena_grow(&arena, NULL, room, &room, 16));
	assert_int_equal(room, SIZE_MAX / 8);
	assert_true(arena.failed);
}

UNIT_TEST("append: pieces stand behind each other, however it grows")
{
	cleanup_arena arena = {0};
	struct arena_text text = {.arena = &arena};
	size_t len = 0;

	for (int i = 0; i < PIECES; i++) {
		arena_append(&text, "%*s", i % 700, "x");
		len += i % 700 ? (size_t)(i % 700) : 1;
		assert_int_equal(text.len, len);
		assert_int_equal(text.text[len], '\0');
		assert_int_equal(text.text[len - 1], 'x');
	}
	assert_false(text.failed);
	assert_int_equal(strlen(text.text), len);
}

/* Fills each size to its last byte. */
UNIT_TEST("append: a character at a time")
{
	cleanup_arena arena = {0};
	struct arena_text text = {.arena = &arena};

	for (size_t i = 1; i <= PIECES; i++) {
		arena_append(&text, "x");
		assert_int_equal(strlen(text.text), i);
	}
}

UNIT_TEST("append: nothing is a text, too")
{
	cleanup_arena arena = {0};
	struct arena_text text = {.arena = &arena};

	arena_append(&text, "%s", "");
	assert_string_equal(text.text, "");
	arena_append(&text, "a");
	arena_append(&text, "%s", "");
	arena_append(&text, "%d", 12);
	assert_string_equal(text.text, "a12");
}

UNIT_TEST("append: without memory it has failed, and what was there stays")
{
	cleanup_arena arena = {0};
	struct arena_text text = {.arena = &arena};
	struct rlimit before;

	if (!LIMITS)
		return;
	arena_append(&text, "before");
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_AS, &(struct rlimit){1, before.rlim_max}), 0);
	arena_append(&text, "%*s", 256 * 1024 * 1024, "x");
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	assert_true(text.failed);
	arena_append(&text, "behind");
	assert_true(text.failed);
	assert_string_equal(text.text, "before");
}

/* A first block with rest bytes left */
static struct arena arena_with_rest(size_t rest)
{
	struct arena arena = {0};

	assert_non_null(arena_alloc(&arena, BLOCK - rest));
	return arena;
}

UNIT_TEST("printf: whole at a block's end, and no byte stays from an arena that is gone")
{
	for (int len = 0; len < 100; len++) {
		cleanup_arena arena = arena_with_rest(48);
		const char *printed =
			arena_printf(&arena, "%.*s%*s", len ? 1 : 0, "x", len ? len - 1 : 0, "");
		const char *next;

		assert_int_equal(strlen(printed), len);
		arena_free(&arena);
		next = arena_alloc(&arena, BLOCK);
		for (size_t i = 0; i < BLOCK; i++)
			assert_int_equal(next[i], 0);
	}
}

/* ---- memory ---- */

UNIT_TEST("arena: memory is zeroed, aligned, and each piece apart")
{
	cleanup_arena arena = {0};
	unsigned char *before = NULL;
	size_t size_before = 0;

	for (size_t size = 0; size < 6000; size += size < 100 ? 1 : 97) {
		unsigned char *memory = arena_alloc(&arena, size);

		assert_non_null(memory);
		assert_int_equal((uintptr_t)memory % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(memory[i], 0);
		memset(memory, 0xa5, size);
		for (size_t i = 0; i < size_before; i++)
			assert_int_equal(before[i], 0xa5);
		before = memory;
		size_before = size;
	}
}

/* Memory is reused when its arena is gone; living arenas share none. */
UNIT_TEST("arena: memory of one that is gone is zeroed for the next")
{
	for (unsigned round = 0; round < 4; round++) {
		struct arena arenas[4] = {0};
		unsigned char *memory[4];
		size_t size = 300000U >> round / 2 * 8;

		for (int i = 0; i < 4; i++) {
			memory[i] = arena_alloc(&arenas[i], size);
			assert_non_null(memory[i]);
			for (size_t at = 0; at < size; at++)
				assert_int_equal(memory[i][at], 0);
			memset(memory[i], i + 1, size);
		}
		for (int i = 0; i < 4; i++) {
			for (size_t at = 0; at < size; at++)
				assert_int_equal(memory[i][at], i + 1);
			arena_free(&arenas[i]);
		}
	}
}

UNIT_TEST("arena: a grown array keeps what it holds")
{
	cleanup_arena arena = {0};
	uint32_t *numbers = NULL;
	size_t room = 0;

	for (uint32_t n = 0; n < 5000; n++) {
		uint32_t *larger = arena_grow(&arena, numbers, n, &room, sizeof(*numbers));

		assert_non_null(larger);
		assert_true(room > n);
		numbers = larger;
		numbers[n] = n * 7;
	}
	for (uint32_t n = 0; n < 5000; n++)
		assert_int_equal(numbers[n], n * 7);
}

UNIT_TEST("arena: an array with room does not move")
{
	cleanup_arena arena = {0};
	size_t room = 0;
	char *first = arena_grow(&arena, NULL, 0, &room, 1);

	assert_non_null(first);
	for (size_t n = 1; n < room; n++)
		assert_ptr_equal(arena_grow(&arena, first, n, &room, 1), first);
	assert_ptr_not_equal(arena_grow(&arena, first, room, &room, 1), first);
}

UNIT_TEST("arena: texts are copied, with their NUL")
{
	cleanup_arena arena = {0};
	char large[9000];

	assert_string_equal(arena_strdup(&arena, "mlx5_6"), "mlx5_6");
	assert_string_equal(arena_strndup(&arena, "mlx5_6,mlx5_7", 6), "mlx5_6");
	assert_string_equal(arena_strndup(&arena, NULL, 0), "");
	assert_string_equal(arena_printf(&arena, "%s:%u", "mlx5_6", 2U), "mlx5_6:2");
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	assert_string_equal(arena_printf(&arena, "%s", large), large);
	assert_string_equal(arena_strdup(&arena, large), large);
}

UNIT_TEST("arena: freeing twice is harmless")
{
	struct arena arena = {0};

	arena_free(&arena);
	assert_non_null(arena_alloc(&arena, 10));
	assert_non_null(arena_alloc(&arena, 100000));
	arena_free(&arena);
	arena_free(&arena);
	assert_null(arena.blocks);
}

int main(void)
{
	return unit_main("arena");
}
