/* SPDX-License-Identifier: Apache-2.0 */
/* Text in an arena: printed where the next allocation begins, and appended to */
#include "unit.h"

#include <sys/resource.h>

/* The sanitizers' own allocator ends the process instead. */
#ifdef ARENA_EXACT
#define LIMITS false
#else
#define LIMITS true
#endif

/* More than the standing blocks have, in pieces of all lengths around those that double */
#define PIECES 3000
/* core/base/arena.c: a standing block */
#define BLOCK ((size_t)128 * 1024)

static void appended_pieces_stand_behind_each_other(void **state)
{
	cleanup_arena arena = {0};
	struct arena_text text = {.arena = &arena};
	size_t len = 0;

	(void)state;
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

/* Each room is filled to its last byte. */
static void single_characters_are_all_there(void **state)
{
	cleanup_arena arena = {0};
	struct arena_text text = {.arena = &arena};

	(void)state;
	for (size_t i = 1; i <= PIECES; i++) {
		arena_append(&text, "x");
		assert_int_equal(strlen(text.text), i);
	}
}

static void nothing_appended_is_a_text_too(void **state)
{
	cleanup_arena arena = {0};
	struct arena_text text = {.arena = &arena};

	(void)state;
	arena_append(&text, "%s", "");
	assert_string_equal(text.text, "");
	arena_append(&text, "a");
	arena_append(&text, "%s", "");
	arena_append(&text, "%d", 12);
	assert_string_equal(text.text, "a12");
}

static void without_memory_it_has_failed(void **state)
{
	cleanup_arena arena = {0};
	struct arena_text text = {.arena = &arena};
	struct rlimit before;

	(void)state;
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

/* A first block, with so much left of it */
static struct arena arena_with_rest(size_t rest)
{
	struct arena arena = {0};

	assert_non_null(arena_alloc(&arena, BLOCK - rest));
	return arena;
}

/* What does not fit at a block's end is printed in another, and what was tried there is gone: the
 * block is another arena's, soon. */
static void printed_text_is_whole_and_leaves_nothing(void **state)
{
	(void)state;
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

int main(void)
{
	static struct unit_suite suite;

	unit_add(&suite, "append: pieces stand behind each other, however it grows",
		 appended_pieces_stand_behind_each_other, NULL);
	unit_add(&suite, "append: nothing is a text, too", nothing_appended_is_a_text_too, NULL);
	if (LIMITS)
		unit_add(&suite, "append: without memory it has failed, and what was there stays",
			 without_memory_it_has_failed, NULL);
	unit_add(&suite, "append: a character at a time", single_characters_are_all_there, NULL);
	unit_add(&suite, "printf: whole at a block's end, and nothing stays there",
		 printed_text_is_whole_and_leaves_nothing, NULL);
	return unit_run(&suite, "arena");
}
