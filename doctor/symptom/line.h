/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNKNOWN (-1)

/* strstr up to end, linear even in repetitive lines */
const char *line_find(const char *text, const char *end, const char *part);

/* The next part behind at, or the line's end */
const char *line_next(const char *at, const char *part);

/* True if text contains, or begins with, one of words (NULL ends them) */
bool line_has(const char *text, const char *const *words);
bool line_begins(const char *text, const char *const *words);

/* Number behind the first of fronts (NULL-terminated), or UNKNOWN */
long line_number_behind(const char *text, const char *end, const char *const *fronts);

/* ---- words: found in one pass, ignoring case ---- */

#define WORDS_MAX 1024
#define WORD_MIN 4 /* characters, hashed at each place */

/* In the order of words_add() */
struct words_found {
	uint64_t bits[WORDS_MAX / 64];
};

#define WORDS_HASHES 65536

/* All zero: no word yet */
struct words {
	size_t n;
	const char *word[WORDS_MAX];
	uint8_t len[WORDS_MAX];
	uint16_t next[WORDS_MAX]; /* of the same hash: number + 1, or 0 */
	uint16_t first[WORDS_HASHES];
	uint64_t known[WORDS_HASHES / 64]; /* hashes in use; small, for the cache */
};

/* Lower case, WORD_MIN to 255 characters; must outlive words. Returns its number, -1 if full. */
int words_add(struct words *words, const char *word);

static inline bool words_has(const struct words_found *found, size_t number)
{
	return found->bits[number / 64] >> (number % 64) & 1;
}

static inline void words_set(struct words_found *found, size_t number)
{
	found->bits[number / 64] |= UINT64_C(1) << (number % 64);
}

/* Adds the words in text to found; true if any */
bool words_find(const struct words *words, const char *text, size_t len, struct words_found *found);
