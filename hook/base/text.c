/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <string.h>

#define DIGITS "0123456789"
#define HEX_DIGITS "0123456789abcdef"

static int compare_numbers(const char **a, const char **b)
{
	const char *first;
	const char *second;
	size_t len_a;
	size_t len_b;
	int order;

	/* Without leading zeros the longer run is the larger number, of whatever length. */
	first = *a + strspn(*a, "0");
	second = *b + strspn(*b, "0");
	len_a = strspn(first, DIGITS);
	len_b = strspn(second, DIGITS);
	*a = first + len_a;
	*b = second + len_b;
	if (len_a != len_b)
		return len_a < len_b ? -1 : 1;
	order = strncmp(first, second, len_a);
	return order;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int text_compare_natural(const char *a, const char *b)
{
	const char *x = a;
	const char *y = b;

	while (*x && *y) {
		int order;

		if (is_digit(*x) && is_digit(*y)) {
			order = compare_numbers(&x, &y);
			if (order)
				return order;
			continue;
		}
		if (*x != *y)
			break;
		x++;
		y++;
	}
	if (*x != *y)
		return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
	/* Equal as numbers, "01" and "1": still an order, so that sorting is stable. */
	return strcmp(a, b);
}

bool text_starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

const char *text_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool text_has_control(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return true;
	}
	return false;
}

static bool is_hex_run(const char *text, size_t min, size_t max, char end)
{
	size_t len = strspn(text, HEX_DIGITS);

	return len >= min && len <= max && text[len] == end;
}

bool text_is_pci_address(const char *text)
{
	const char *bus;
	const char *device;

	if (!is_hex_run(text, 4, 8, ':'))
		return false;
	bus = strchr(text, ':') + 1;
	if (!is_hex_run(bus, 2, 2, ':'))
		return false;
	device = bus + 3;
	return is_hex_run(device, 2, 2, '.') && device[0] <= '1' && device[3] >= '0' &&
	       device[3] <= '7' && device[4] == '\0';
}

bool text_is_device_name(const char *text)
{
	size_t len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "abcdefghijklmnopqrstuvwxyz" DIGITS "_.-");

	return len >= 1 && len <= 63 && text[len] == '\0' && strcmp(text, ".") != 0 &&
	       strcmp(text, "..") != 0;
}

/* IFNAMSIZ is 16 with its NUL; the kernel refuses '/', ':' and white space (dev_valid_name). */
bool text_is_netdev_name(const char *text)
{
	size_t len = strlen(text);

	return len >= 1 && len <= 15 && strcspn(text, "/: \t\n,=^") == len &&
	       !text_has_control(text) && strcmp(text, ".") != 0 && strcmp(text, "..") != 0;
}

/* Length of the UTF-8 sequence at text, or 0 if there is none: a cut text may end in the middle of
 * one. */
static size_t sequence_length(const unsigned char *text)
{
	size_t len = text[0] < 0x80                       ? 1
		     : text[0] >= 0xc2 && text[0] <= 0xdf ? 2
		     : (text[0] & 0xf0) == 0xe0           ? 3
		     : text[0] >= 0xf0 && text[0] <= 0xf4 ? 4
							  : 0;

	for (size_t i = 1; i < len; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	}
	return len;
}

void text_make_printable(char *text)
{
	unsigned char *at = (unsigned char *)text;

	while (*at) {
		size_t len = sequence_length(at);

		if (len == 0 || (len == 1 && (*at < 0x20 || *at == 0x7f))) {
			*at = '?';
			len = 1;
		}
		at += len;
	}
}
