/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <linux/capability.h>
#include <sys/capability.h>

#include "core/base/text.h"

/* ---- natural order ---- */

#define NINES "999999999999999999999999999999999999"

/* Ascending, by value whatever the length; leading zeros make a number longer; bytes above 127
 * last. Compares each pair both ways. */
static const char *const ascending[] = LIST(
	"", "0", "1", "1a", "2", "00", "01", "10", "18446744073709551615", "18446744073709551616",
	"A", "a", "a0b1", "a0b2", "a1b1", "a1b2", "a1b10", "a2", "a01b1", "ens1f0np1",
	"ens1f0npf1vf0", "mlx5", "mlx5_", "mlx5_0", "mlx5_1", "mlx5_2", "mlx5_9", "mlx5_10",
	"mlx5_10a", "mlx5_11", "mlx5_010", "mlx5_" NINES, "mlx5_1" NINES, "mlx5_2" NINES, "mlx5_a",
	"mlx6_0", "rocep59s0f0v3", "rocep59s0f0v20", "\x7f", "\xc3\xa4");

static int sign(int number)
{
	return (number > 0) - (number < 0);
}

UNIT_TEST("order: every pair of a sorted list, both ways")
{
	for (size_t i = 0; i < LENGTH(ascending); i++) {
		for (size_t j = 0; j < LENGTH(ascending); j++) {
			int want = i < j ? -1 : i > j;

			if (sign(text_compare_natural(ascending[i], ascending[j])) == want)
				continue;
			print_error("# %s against %s: want %d\n", ascending[i], ascending[j], want);
			fail();
		}
	}
}

/* ---- names ---- */

struct name_case {
	const char *name;
	const char *text;
	bool good;
};

static const struct name_case pci_cases[] = {
	{"pci: 0000:3b:02.6", "0000:3b:02.6", true},
	{"pci: last device and function", "0000:ff:1f.7", true},
	{"pci: domain of five digits", "10000:e1:00.0", true},
	{"pci: domain of eight digits", "ffffffff:00:00.0", true},
	{"pci: domain of nine digits is refused", "fffffffff:00:00.0", false},
	{"pci: domain of three digits is refused", "000:3b:02.6", false},
	{"pci: no domain is refused", "3b:02.6", false},
	{"pci: upper case is refused", "0000:3B:02.6", false},
	{"pci: function 8 is refused", "0000:3b:02.8", false},
	{"pci: function of two digits is refused", "0000:3b:02.60", false},
	{"pci: device 20 is refused", "0000:3b:20.0", false},
	{"pci: device of one digit is refused", "0000:3b:2.6", false},
	{"pci: bus of three digits is refused", "0000:03b:02.6", false},
	{"pci: no function is refused", "0000:3b:02", false},
	{"pci: empty function is refused", "0000:3b:02.", false},
	{"pci: space in front is refused", " 0000:3b:02.6", false},
	{"pci: space behind is refused", "0000:3b:02.6 ", false},
	{"pci: line break behind is refused", "0000:3b:02.6\n", false},
	{"pci: path is refused", "../0000:3b:02.6", false},
	{"pci: path behind is refused", "0000:3b:02.6/..", false},
	{"pci: device name is refused", "mlx5_6", false},
	{"pci: nothing is refused", "", false},
	{"pci: colons alone are refused", "::.", false},
};

UNIT_ROWS(pci_cases)
{
	char *exact = unit_exact(row->text, strlen(row->text) + 1);
	bool good = text_is_pci_address(exact);

	free(exact);
	assert_int_equal(good, row->good);
}

#define NAME_63 "a23456789b123456789c123456789d123456789e123456789f123456789g123"

static const struct name_case device_cases[] = {
	{"name: mlx5_6", "mlx5_6", true},
	{"name: auxiliary device", "mlx5_core.sf.4", true},
	{"name: '-' in it", "rxe-eth0", true},
	{"name: 63 bytes", NAME_63, true},
	{"name: 64 bytes are refused", NAME_63 "4", false},
	{"name: nothing is refused", "", false},
	{"name: . is refused", ".", false},
	{"name: .. is refused", "..", false},
	{"name: ... is a name", "...", true},
	{"name: / is refused", "a/b", false},
	{"name: ../ is refused", "../mlx5_0", false},
	{"name: , is refused", "mlx5_0,mlx5_1", false},
	{"name: '=' is refused", "=mlx5_0", false},
	{"name: '^' is refused", "^mlx5_0", false},
	{"name: ':' is refused", "mlx5_0:1", false},
	{"name: space is refused", "mlx5 0", false},
	{"name: line break is refused", "mlx5_0\n", false},
	{"name: $ is refused", "$(reboot)", false},
	{"name: UTF-8 is refused", "mlx5_\xc3\xa4", false},
	{"name: DEL is refused", "mlx5\x7f", false},
};

UNIT_ROWS(device_cases)
{
	assert_int_equal(text_is_device_name(row->text), row->good);
}

static const struct name_case netdev_cases[] = {
	{"netdev: net1", "net1", true},
	{"netdev: 15 characters", "enp59s0f0v3np12", true},
	{"netdev: 16 characters", "enp59s0f0v3np123", false},
	{"netdev: of a VLAN", "net1.100", true},
	{"netdev: none", "", false},
	{"netdev: .", ".", false},
	{"netdev: ..", "..", false},
	{"netdev: a path", "net/1", false},
	{"netdev: a space", "net 1", false},
	{"netdev: a comma, which ends an item of NCCL's lists", "net1,eth0", false},
	{"netdev: = and ^, which NCCL's lists begin with", "=net1", false},
	{"netdev: ^", "^net1", false},
	{"netdev: an escape", "net\x1b[2J", false},
};

UNIT_ROWS(netdev_cases)
{
	assert_int_equal(text_is_netdev_name(row->text), row->good);
}

/* ---- control characters ---- */

UNIT_TEST("control characters: 0 to 31 and 127, and 128 to 159 as UTF-8; no other byte")
{
	for (int byte = 1; byte < 256; byte++) {
		char text[] = {'a', (char)byte, 'b', '\0'};
		bool control = byte < 0x20 || byte == 0x7f;

		assert_int_equal(text_has_control(text), control);
		text_make_printable(text);
		/* A lone byte above 127 is not UTF-8. */
		assert_int_equal((unsigned char)text[1], control || byte >= 0x80 ? '?' : byte);
		assert_false(text_has_control(text));
		assert_int_equal(text[0], 'a');
		assert_int_equal(text[2], 'b');
	}
	assert_false(text_has_control(""));
	/* Terminals take U+009B, a C1 in UTF-8, for ESC [; U+00A0 is not C1. */
	assert_true(text_has_control("a\xc2\x9b"
				     "31m"));
	assert_true(text_has_control("\xc2\x80"));
	assert_false(text_has_control("\xc2\xa0"));
}

/* Texts are cut by bytes, but JSON must be UTF-8. */
UNIT_TEST("printable: what is no UTF-8 becomes '?'")
{
	static const struct {
		const char *text;
		const char *printable;
	} table[] = {
		{"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
		{"a\xc3", "a?"},
		{"a\xe2\x82", "a??"},
		{"\xf0\x9f\x98z", "???z"},
		{"\xc0\xaf\xff", "???"},
		{"\xa4\xc3\xa4", "?\xc3\xa4"},
		{"a\xc2\x9b"
		 "31mb\xc2\x80\xc2\x9f",
		 "a??31mb????"},
		{"\xc2\xa0\xdf\xbf\xed\x9f\xbf", "\xc2\xa0\xdf\xbf\xed\x9f\xbf"},
		{"\xe0\x80\xaf \xe0\x9f\xbf", "??? ???"},
		{"\xed\xa0\x80", "???"},
		{"\xf0\x8f\xbf\xbf \xf4\x90\x80\x80 \xf5\x80\x80\x80", "???? ???? ????"},
		/* U+061C, U+200E, U+200F, U+202A, U+202E, U+2066, U+2069, and their neighbours */
		{"\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f", "????????"},
		{"\xe2\x80\xaa\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9", "????????????"},
		{"\xd8\x9b\xd8\x9d\xe2\x80\x8d\xe2\x80\x90",
		 "\xd8\x9b\xd8\x9d\xe2\x80\x8d\xe2\x80\x90"},
		{"\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa",
		 "\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa"},
		{"\xe2\x82\xaa\xe1\x80\xae", "\xe2\x82\xaa\xe1\x80\xae"},
		{"\xe0\xa0\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
		 "\xe0\xa0\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"},
	};

	for (size_t i = 0; i < LENGTH(table); i++) {
		char text[32];

		strcpy(text, table[i].text);
		text_make_printable(text);
		assert_string_equal(text, table[i].printable);
	}
}

UNIT_TEST("suffix: only the end counts")
{
	assert_true(text_ends_with("90-hook.json", ".json"));
	assert_true(text_ends_with(".json", ".json"));
	assert_true(text_ends_with("x", ""));
	assert_false(text_ends_with("json", ".json"));
	assert_false(text_ends_with("90-hook.json~", ".json"));
}

UNIT_TEST("prefix: only the beginning counts")
{
	assert_true(text_starts_with("PCIDEVICE_X", "PCIDEVICE_"));
	assert_true(text_starts_with("PCIDEVICE_", "PCIDEVICE_"));
	assert_true(text_starts_with("x", ""));
	assert_false(text_starts_with("PCIDEVICE", "PCIDEVICE_"));
	assert_false(text_starts_with("XPCIDEVICE_", "PCIDEVICE_"));
}

UNIT_TEST("list: what does not fit is left out, and not cut")
{
	char list[12] = "";

	text_add_item(list, sizeof(list), "one");
	assert_string_equal(list, "one");
	text_add_item(list, sizeof(list), "two");
	assert_string_equal(list, "one, two");
	text_add_item(list, sizeof(list), "xy");
	assert_string_equal(list, "one, two");
	text_add_item(list, sizeof(list), "x");
	assert_string_equal(list, "one, two, x");
}

/* ---- capability names beside libcap's and the kernel's ---- */

UNIT_TEST("capabilities: each known name is libcap's, and each of the kernel's is known")
{
	cleanup_arena arena = {0};

	for (int number = 0; number < 64; number++) {
		const char *name = *capability_names(&arena, UINT64_C(1) << number);
		cap_value_t value = -1;

		assert_int_equal(name != NULL, number <= CAP_LAST_CAP);
		if (!name)
			continue;
		assert_int_equal(cap_from_name(name, &value), 0);
		assert_int_equal(value, number);
		assert_int_equal(capability_number(name), number);
	}
}

UNIT_TEST("capabilities: a set's names in the order of their numbers, then NULL")
{
	cleanup_arena arena = {0};
	const char *const *names = capability_names(&arena, UINT64_C(1) << CAP_SYS_RESOURCE |
								    UINT64_C(1) << CAP_CHOWN |
								    UINT64_C(1) << CAP_IPC_LOCK);

	assert_string_equal(names[0], "CAP_CHOWN");
	assert_string_equal(names[1], "CAP_IPC_LOCK");
	assert_string_equal(names[2], "CAP_SYS_RESOURCE");
	assert_null(names[3]);
	assert_null(capability_names(&arena, 0)[0]);
}

int main(void)
{
	return unit_main("text");
}
