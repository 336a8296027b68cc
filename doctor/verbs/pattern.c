/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/pattern.h"

#include <endian.h>
#include <string.h>

/* The finalizer of MurmurHash3: neighbours differ in half of their bits. */
static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	return x ^ x >> 33;
}

/* In the same order on every machine: the two ends need not be of one kind. */
static void word_at(size_t index, uint64_t seed, unsigned char word[8])
{
	uint64_t value = htole64(mix(seed * 0x9e3779b97f4a7c15ULL + index + 1));

	memcpy(word, &value, sizeof(value));
}

void pattern_fill(void *buffer, size_t bytes, uint64_t seed)
{
	unsigned char word[8];
	char *at = buffer;

	for (size_t done = 0; done < bytes; done += sizeof(word)) {
		size_t left = bytes - done;

		word_at(done / sizeof(word), seed, word);
		memcpy(at + done, word, left < sizeof(word) ? left : sizeof(word));
	}
}

size_t pattern_find_error(const void *buffer, size_t bytes, uint64_t seed)
{
	const unsigned char *at = buffer;
	unsigned char word[8];

	for (size_t i = 0; i < bytes; i++) {
		if (i % sizeof(word) == 0)
			word_at(i / sizeof(word), seed, word);
		if (at[i] != word[i % sizeof(word)])
			return i;
	}
	return PATTERN_OK;
}
