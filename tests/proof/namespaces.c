/* SPDX-License-Identifier: Apache-2.0 */
/* config_allows_namespace() for all lists of 2 patterns and all names, of 3 bytes, with a star only
 * at a pattern's end, as config.json may have it. */
#include "core/policy/policy.c"

#include "tests/proof/any.h"

#define LENGTH 3

/* CBMC has no strcspn(3). */
size_t strcspn(const char *text, const char *set)
{
	size_t n = 0;

	for (; text[n]; n++) {
		for (const char *at = set; *at; at++) {
			if (text[n] == *at)
				return n;
		}
	}
	return n;
}

static bool begins(const char *text, const char *with, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] != with[i])
			return false;
	}
	return true;
}

int main(void)
{
	ANY_TEXT(a, LENGTH);
	ANY_TEXT(b, LENGTH);
	ANY_TEXT(name, LENGTH);
	const char *patterns[2] = {a, b};
	struct config config = {.namespaces = patterns, .n_namespaces = nondet_size()};
	const char *asked = nondet_bool() ? name : NULL;
	bool documented = false;

	assume(config.n_namespaces <= 2);
	for (size_t i = 0; i < config.n_namespaces; i++) {
		size_t len = 0;
		bool star;

		while (patterns[i][len] && patterns[i][len] != '*')
			len++;
		star = patterns[i][len] == '*';
		assume(patterns[i][0] && (!star || !patterns[i][len + 1]));
		documented |= star && len == 0;
		documented |= asked && begins(asked, patterns[i], star ? len : len + 1);
	}
	prove(config_allows_namespace(&config, asked) == documented,
	      "a name equals a pattern or begins as one before its star, an unknown one needs *");
	return 0;
}
