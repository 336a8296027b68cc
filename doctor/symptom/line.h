/* SPDX-License-Identifier: Apache-2.0 */
/* Searching in a line, and which of many words it holds */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNKNOWN (-1)

/* strstr between text and end: what repeats in a line costs no more than the line is long. */
const char *line_find(const char *text, const char *end, const char *part);

/* The next place of part behind at, or the line's end */
const char *line_next(const char *at, const char *part);

/* Whether text has, or begins with, one of words (NULL ends them) */
bool line_has(const char *text, const char *const *words);
bool line_begins(const char *text, const char *const *words);

/* The number behind the first of fronts (NULL ends them) between text and end; or UNKNOWN */
long line_number_behind(const char *text, const char *end, const char *const *fronts);

/* ---- words: found in one pass over the line; upper and lower case are the same ---- */

#define WORDS_MAX 1024
#define WORD_MIN 4 /* characters, by which it is looked for at each place of the line */

/* By the order in which they were added */
struct words_found {
	uint64_t bits[WORDS_MAX / 64];
};

#define WORDS_HASHES 65536

/* All zero: no word yet */
struct words {
	size_t n;
	const char *word[WORDS_MAX];
	uint8_t len[WORDS_MAX];
	uint16_t next[WORDS_MAX]; /* of the same hash; 0, or the number + 1 */
	uint16_t first[WORDS_HASHES];
	uint64_t known[WORDS_HASHES /
		       64]; /* hashes that some word has: small, so that it stays in the cache */
};

/* In lower case, WORD_MIN to 255 characters; it must live as long as words. Its number, or -1 if
 * there is no room for it. */
int words_add(struct words *words, const char *word);

static inline bool words_has(const struct words_found *found, size_t number)
{
	return found->bits[number / 64] >> (number % 64) & 1;
}

static inline void words_set(struct words_found *found, size_t number)
{
	found->bits[number / 64] |= UINT64_C(1) << (number % 64);
}

/* Sets in found the words that text holds. Returns true if there are any. */
bool words_find(const struct words *words, const char *text, size_t len, struct words_found *found);
