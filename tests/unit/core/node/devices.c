/* SPDX-License-Identifier: Apache-2.0 */
/* Finds verbs devices by number or address; VFs of a function */
#include "suite.h"

struct device_case {
	const char *name;
	const char *missing; /* of and below the usual entries */
	struct entry odd[ENTRIES_MAX];
	int by_number; /* enum node_number */
	int by_address;
	int of_vfs;
	const char *ibdev;
	const char *pf;
};

static const struct device_case device_cases[] = {
	{"the usual one", NULL, LIST({0}), NUMBER_VERBS, 1, 1, "mlx5_6", "0000:3b:00.0"},
	{"no physfn: it is a physical function, and no VF", FUNCTION "/physfn", LIST({0}),
	 NUMBER_VERBS, 1, 0, "mlx5_6", "0000:3b:02.6"},
	{"a physfn that names no function", NULL, LIST({FUNCTION "/physfn", "> ../uplink"}),
	 NUMBER_VERBS, 1, 0, "mlx5_6", "0000:3b:02.6"},
	{"a number that is not there", "sys/dev/char/231:198", LIST({0}), NUMBER_OTHER, 1, 1, NULL,
	 NULL},
	{"a number whose link leaves sysfs's devices", NULL,
	 LIST({"sys/dev/char/231:198", "> ../../../etc/infiniband_verbs/uverbs6"},
	      {"sys/etc/infiniband_verbs/uverbs6/ibdev", "mlx5_9\n"}),
	 NUMBER_OTHER, 1, 1, NULL, NULL},
	{"a class's link that does", NULL,
	 LIST({"sys/class/infiniband_verbs/uverbs6", "> ../../../etc/infiniband_verbs/uverbs6"}),
	 NUMBER_VERBS, 1, 0, "mlx5_6", "0000:3b:00.0"},
	{"a function's link that does", NULL,
	 LIST({"sys/bus/pci/devices/0000:3b:02.6", "> ../../../../etc"}), NUMBER_VERBS, 0, 1,
	 "mlx5_6", "0000:3b:00.0"},
	{"no ibdev: the device has just gone", VERBS "/ibdev", LIST({0}), NUMBER_OTHER, 0, 0, NULL,
	 NULL},
	{"an ibdev that is no name", NULL, LIST({VERBS "/ibdev", "mlx5 6,^\n"}), NUMBER_OTHER, 0, 0,
	 NULL, NULL},
	{"an ibdev that is longer than a name", NULL,
	 LIST({VERBS "/ibdev",
	       "mlx5_mlx5_mlx5_mlx5_mlx5_mlx5_mlx5_mlx5_mlx5_mlx5_mlx5_mlx5_mlx5_\n"}),
	 NUMBER_OTHER, 0, 0, NULL, NULL},
	{"a name behind the class that is not uverbs", NULL,
	 LIST({"sys/dev/char/231:198", "> ../../devices/pci0000:3a/infiniband_verbs/umad6"}),
	 NUMBER_OTHER, 1, 1, NULL, NULL},
	{"uverbs without a number", NULL,
	 LIST({"sys/dev/char/231:198", "> ../../devices/pci0000:3a/infiniband_verbs/uverbs"},
	      {"sys/devices/pci0000:3a/infiniband_verbs/uverbs/ibdev", "mlx5_9\n"}),
	 NUMBER_OTHER, 1, 1, NULL, NULL},
	{"uverbs with more than a number", NULL,
	 LIST({"sys/dev/char/231:198", "> ../../devices/pci0000:3a/infiniband_verbs/uverbs6x"},
	      {"sys/devices/pci0000:3a/infiniband_verbs/uverbs6x/ibdev", "mlx5_9\n"}),
	 NUMBER_OTHER, 1, 1, NULL, NULL},
	{"uverbs with a number that is longer than any", NULL,
	 LIST({"sys/dev/char/231:198",
	       "> ../../devices/pci0000:3a/infiniband_verbs/uverbs12345678901234567"},
	      {"sys/devices/pci0000:3a/infiniband_verbs/uverbs12345678901234567/ibdev",
	       "mlx5_9\n"}),
	 NUMBER_OTHER, 1, 1, NULL, NULL},
	{"the class's name further up", NULL,
	 LIST({"sys/dev/char/231:198", "> ../../devices/infiniband_verbs/x/uverbs6"}), NUMBER_OTHER,
	 1, 1, NULL, NULL},
	{"other entries of the class are none of its devices", NULL,
	 LIST({"sys/class/infiniband_verbs/abi_version", "6\n"},
	      {"sys/class/infiniband_verbs/uverbs7", "no link"}),
	 NUMBER_VERBS, 1, 1, "mlx5_6", "0000:3b:00.0"},
	{"nor are those of a function's directory", NULL,
	 LIST({FUNCTION "/infiniband_verbs/umad6", NULL}), NUMBER_VERBS, 1, 1, "mlx5_6",
	 "0000:3b:00.0"},
	{"no class at all", "sys/class", LIST({0}), NUMBER_VERBS, 1, 0, "mlx5_6", "0000:3b:00.0"},
	{"no bus at all", "sys/bus", LIST({0}), NUMBER_VERBS, 0, 1, "mlx5_6", "0000:3b:00.0"},
	{"no character devices at all", "sys/dev", LIST({0}), NUMBER_OTHER, 1, 1, NULL, NULL},
};

UNIT_ROWS_AS("device: ", device_cases)
{
	WITH_DIR(dir);
	cleanup_node node = NODE_NONE;
	struct devices devices = {0};
	struct devices others = {0};

	make_usual(dir.fd);
	if (row->missing)
		remove_below(dir.fd, row->missing);
	make_all(dir.fd, row->odd, ENTRIES_MAX);
	node = open_node(&dir);
	assert_int_equal(node_find_number(&node, &arena, 231, 198, &devices), row->by_number);
	assert_int_equal(devices.n, row->by_number == NUMBER_VERBS);
	if (row->ibdev) {
		assert_string_equal(devices.item[0].ibdev, row->ibdev);
		assert_string_equal(devices.item[0].pf, row->pf);
	}
	node_find_address(&node, &arena, "0000:3b:02.6", &others);
	assert_int_equal(others.n, row->by_address);
	node_find_all(&node, &arena, true, &others);
	assert_int_equal(others.n, row->by_address + row->of_vfs);
}

UNIT_TEST("device: numbers that no device has are none")
{
	static const int64_t numbers[][2] = {
		{-1, 198}, {231, -1}, {INT64_MIN, INT64_MIN}, {INT64_MAX, INT64_MAX}, {231, 0}};
	WITH_DIR(dir);
	cleanup_node node = NODE_NONE;
	struct devices devices = {0};

	make_usual(dir.fd);
	node = open_node(&dir);
	for (size_t i = 0; i < LENGTH(numbers); i++)
		assert_int_equal(
			node_find_number(&node, &arena, numbers[i][0], numbers[i][1], &devices),
			NUMBER_OTHER);
	assert_int_equal(devices.n, 0);
}

UNIT_TEST("a sysroot that cannot be opened is an error")
{
	WITH_DIR(dir);
	struct node node = NODE_NONE;
	char path[512];

	snprintf(path, sizeof(path), "%s/none", dir.path);
	assert_int_equal(node_open(path, &node, &err), -1);
	assert_has(err.text, "none: No such file or directory");
	unit_write(dir.fd, "sys/dev/char", "no directory", 0644);
	assert_int_equal(node_open(dir.path, &node, &err), -1);
	assert_has(err.text, "/sys/dev/char: Not a directory");
	assert_int_equal(node.root, -1);
}
