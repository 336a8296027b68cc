/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "doctor/symptom/line.h"

const char *line_find(const char *text, const char *end, const char *part)
{
	return memmem(text, (size_t)(end - text), part, strlen(part));
}

const char *line_next(const char *at, const char *part)
{
	const char *next = strstr(at + strlen(part), part);

	return next ? next : at + strlen(at);
}

bool line_has(const char *text, const char *const *words)
{
	while (*words && !strstr(text, *words))
		words++;
	return *words;
}

bool line_begins(const char *text, const char *const *words)
{
	while (*words && strncmp(text, *words, strlen(*words)) != 0)
		words++;
	return *words;
}

/* "12", "0xc", "IBV_WC_RETRY_EXC_ERR(12)" (NCCL 2.28.7), "(IBV_WC_RETRY_EXC_ERR)12"; not other
 * words' numbers: "completion[0] with error on rdmap132s0" */
static long number_at(const char *text)
{
	char *end;
	long number;

	text += strspn(text, " ");
	if (text[0] != '0' || text[1] != 'x')
		text += strspn(text, "abcdefghijklmnopqrstuvwxyz_()");
	number = strtol(text, &end, 0);
	return end == text ? UNKNOWN : number;
}

long line_number_behind(const char *text, const char *end, const char *const *fronts)
{
	for (; *fronts; fronts++) {
		const char *front = line_find(text, end, *fronts);

		if (front)
			return number_at(front + strlen(*fronts));
	}
	return UNKNOWN;
}

/* Compares only words whose four-character hash matches: repetition costs nothing. */

/* The bit folds case; '[' and '{', which it equates too, differ in the comparison. */
static uint32_t hash_at(const char *text)
{
	uint32_t four;

	memcpy(&four, text, sizeof(four));
	return (four | 0x20202020u) * 2654435761u >> 16; /* Knuth's multiplicative hash */
}

int words_add(struct words *words, const char *word)
{
	size_t len = strlen(word);
	size_t number = words->n;
	uint32_t hash;

	if (number == WORDS_MAX || len < WORD_MIN || len > UINT8_MAX)
		return -1;
	words->word[number] = word;
	words->len[number] = (uint8_t)len;
	hash = hash_at(word);
	words->next[number] = words->first[hash];
	words->first[hash] = (uint16_t)(number + 1);
	words->known[hash / 64] |= UINT64_C(1) << (hash % 64);
	words->n++;
	return (int)number;
}

/* The words that begin text */
static bool compare_at(const struct words *words, uint32_t hash, const char *text, size_t len,
		       struct words_found *found)
{
	bool any = false;

	for (size_t next = words->first[hash]; next; next = words->next[next - 1]) {
		size_t number = next - 1;

		if (len < words->len[number] ||
		    strncasecmp(text, words->word[number], words->len[number]) != 0)
			continue;
		words_set(found, number);
		any = true;
	}
	return any;
}

bool words_find(const struct words *words, const char *text, size_t len, struct words_found *found)
{
	bool any = false;

	for (size_t place = 0; place + WORD_MIN <= len; place++) {
		uint32_t hash = hash_at(text + place);

		if (words->known[hash / 64] >> (hash % 64) & 1)
			any |= compare_at(words, hash, text + place, len - place, found);
	}
	return any;
}
