/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>

#define DIGITS "0123456789"
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* Not strverscmp(3): musl before 1.2.4 sorts digits behind letters. */
int text_compare_natural(const char *a, const char *b)
{
	size_t at = 0;
	size_t digits_a;
	size_t digits_b;

	while (a[at] && a[at] == b[at])
		at++;
	while (at && isdigit((unsigned char)a[at - 1]))
		at--;
	digits_a = strspn(a + at, DIGITS);
	digits_b = strspn(b + at, DIGITS);
	if (digits_a && digits_b && digits_a != digits_b)
		return digits_a < digits_b ? -1 : 1;
	return strcmp(a + at, b + at);
}

bool text_is(const char *text, const char *word)
{
	return text && strcmp(text, word) == 0;
}

bool text_starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool text_ends_with(const char *text, const char *suffix)
{
	size_t len = strlen(text);
	size_t end = strlen(suffix);

	return len >= end && memcmp(text + len - end, suffix, end) == 0;
}

const char *text_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void text_add_item(char *list, size_t size, const char *item)
{
	size_t used = strlen(list);

	if (used + strlen(", ") + strlen(item) < size)
		snprintf(list + used, size - used, "%s%s", used ? ", " : "", item);
}

bool text_is_pci_address(const char *text)
{
	static const char hex[] = DIGITS "abcdef";
	size_t domain = strspn(text, hex);
	const char *bus = text + domain + 1;

	return domain >= 4 && domain <= 8 && bus[-1] == ':' && strspn(bus, hex) == 2 &&
	       bus[2] == ':' && strspn(bus + 3, hex) == 2 && bus[3] <= '1' && bus[5] == '.' &&
	       bus[6] >= '0' && bus[6] <= '7' && bus[7] == '\0';
}

bool text_is_device_name(const char *text)
{
	size_t len = strspn(text, CAPITALS "abcdefghijklmnopqrstuvwxyz" DIGITS "_.-");

	return len >= 1 && len <= 63 && text[len] == '\0' && strcmp(text, ".") != 0 &&
	       strcmp(text, "..") != 0;
}

/* IFNAMSIZ includes the NUL; dev_valid_name() rejects '/', ':' and spaces. */
bool text_is_netdev_name(const char *text)
{
	size_t len = strlen(text);

	return len >= 1 && len <= 15 && strcspn(text, "/: \t\n,=^") == len &&
	       !text_has_control(text) && strcmp(text, ".") != 0 && strcmp(text, "..") != 0;
}

/* libcap also accepts lower case and numbers, and prints unknown ones as numbers. */
static bool is_capability_name(const char *name)
{
	return text_starts_with(name, "CAP_") && !name[strspn(name, CAPITALS "_")];
}

int capability_number(const char *name)
{
	cap_value_t number;

	return is_capability_name(name) && cap_from_name(name, &number) == 0 ? number : -1;
}

const char *const *capability_names(struct arena *arena, uint64_t set)
{
	const char **names = arena_alloc(arena, 65 * sizeof(*names));
	size_t n = 0;

	for (cap_value_t number = 0; names && number < 64; number++) {
		char *lower = set >> number & 1 ? cap_to_name(number) : NULL;
		char *name = lower ? arena_strdup(arena, lower) : NULL;

		arena->failed = arena->failed || (set >> number & 1 && !name);
		for (char *c = name; c && *c; c++)
			*c = (char)toupper((unsigned char)*c);
		if (name && is_capability_name(name))
			names[n++] = name;
		(void)cap_free(lower);
	}
	return arena->failed ? NULL : names;
}

/* *ret_len is 0 unless valid (Unicode, table 3-7), or readers of our JSON reject all of it. Cut
 * texts may end inside a character. */
static uint32_t decode(const char *text, size_t *ret_len)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000, 0x110000};
	static const unsigned char masks[] = {0, 0xff, 0x1f, 0x0f, 0x0f};
	const unsigned char *at = (const unsigned char *)text;
	size_t len = 1 + (at[0] >= 0xc0) + (at[0] >= 0xe0) + (at[0] >= 0xf0);
	uint32_t c = at[0] & masks[len];

	*ret_len = 0;
	for (size_t i = 1; i < len; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (at[i] & 0x3f);
	}
	if (c >= least[len] && c < least[len + 1] && (c < 0xd800 || c > 0xdfff))
		*ret_len = len;
	return c;
}

/* Many terminals treat U+009B as ESC [. */
static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f);
}

/* Unicode Bidi_Control: a reordered name could pass for another. */
static bool turns_direction(uint32_t c)
{
	return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

bool text_has_control(const char *text)
{
	for (size_t len; *text; text += len ? len : 1) {
		if (is_control(decode(text, &len)) && len)
			return true;
	}
	return false;
}

size_t text_printable_length(const char *text)
{
	size_t len;
	uint32_t c = decode(text, &len);

	return is_control(c) || turns_direction(c) ? 0 : len;
}

void text_make_printable(char *text)
{
	for (size_t len; *text; text += len) {
		/* One '?' per byte keeps the length. */
		(void)decode(text, &len);
		len = len ? len : 1;
		if (!text_printable_length(text))
			memset(text, '?', len);
	}
}
