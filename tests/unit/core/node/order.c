/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a container's devices */
#include "suite.h"

#define ITEMS_MAX 6
#define A "0000:3b:02.6"
#define B "0000:5d:00.3"
#define C "0000:9a:01.2"

struct given {
	const char *ibdev;
	const char *pci; /* "": no hardware */
	const char *uverbs;
};

static const struct order_case {
	const char *name;
	struct given devices[ITEMS_MAX];
	const char *order;
} order_cases[] = {
	{"order: nothing", LIST({0}), ""},
	{"order: by PCI address, whatever their names",
	 LIST({"mlx5_0", C, "uverbs0"}, {"mlx5_1", A, "uverbs1"}), "mlx5_1 mlx5_0"},
	{"order: of one PCI function by name, numbers as numbers",
	 LIST({"mlx5_10", B, "uverbs10"}, {"mlx5_2", B, "uverbs2"}, {"mlx5_11", A, "uverbs11"}),
	 "mlx5_11 mlx5_2 mlx5_10"},
	{"order: devices without hardware come last, by name",
	 LIST({"rxe10", "", "uverbs1"}, {"rxe2", "", "uverbs0"}, {"xscale_0", A, "uverbs2"}),
	 "xscale_0 rxe2 rxe10"},
	{"order: a number that linux.devices lists twice is one device",
	 LIST({"mlx5_1", A, "uverbs1"}, {"mlx5_2", B, "uverbs2"}, {"mlx5_1", A, "uverbs1"}),
	 "mlx5_1 mlx5_2"},
	{"order: three times, without hardware",
	 LIST({"rxe0", "", "uverbs0"}, {"rxe0", "", "uverbs0"}, {"rxe1", "", "uverbs1"},
	      {"rxe0", "", "uverbs0"}),
	 "rxe0 rxe1"},
};

static struct devices make_devices(const struct given *given, struct device *room)
{
	struct devices devices = {.item = room};

	for (; devices.n < ITEMS_MAX && given[devices.n].ibdev; devices.n++) {
		struct device *device = &room[devices.n];
		const struct given *from = &given[devices.n];

		*device = (struct device){0};
		snprintf(device->ibdev, sizeof(device->ibdev), "%s", from->ibdev);
		snprintf(device->uverbs, sizeof(device->uverbs), "%s", from->uverbs);
		snprintf(device->pci, sizeof(device->pci), "%s", from->pci);
	}
	return devices;
}

static const char *render(struct arena *arena, const struct devices *devices)
{
	const char *text = "";

	for (size_t i = 0; i < devices->n; i++)
		text = arena_printf(arena, "%s%s%s", text, i ? " " : "", devices->item[i].ibdev);
	return text;
}

UNIT_ROWS(order_cases)
{
	cleanup_arena arena = {0};
	struct device room[ITEMS_MAX];
	struct devices devices = make_devices(row->devices, room);

	devices_sort(&devices);
	assert_string_equal(render(&arena, &devices), row->order);
}

UNIT_TEST("order: does not depend on that of linux.devices")
{
	static const struct given four[] = {{"mlx5_10", A, "uverbs10"},
					    {"mlx5_2", B, "uverbs2"},
					    {"mlx5_1", C, "uverbs1"},
					    {"mlx5_3", C, "uverbs3"}};

	for (int i = 0; i < 256; i++) {
		int at[] = {i & 3, i >> 2 & 3, i >> 4 & 3, i >> 6 & 3};
		cleanup_arena arena = {0};
		struct given given[ITEMS_MAX] = {{0}};
		struct device room[ITEMS_MAX];
		struct devices devices;

		if (((1 << at[0]) | (1 << at[1]) | (1 << at[2]) | (1 << at[3])) != 15)
			continue;
		for (int d = 0; d < 4; d++)
			given[d] = four[at[d]];
		devices = make_devices(given, room);
		devices_sort(&devices);
		assert_string_equal(render(&arena, &devices), "mlx5_10 mlx5_2 mlx5_1 mlx5_3");
	}
}

/* ---- character devices that are no verbs devices ---- */

static const struct number_case {
	const char *name;
	const char *link; /* of sys/dev/char/240:7 */
	int want;
	const char *vfio;
} number_cases[] = {
	{"number: a vfio group", "../../devices/virtual/vfio/57", NUMBER_VFIO, "vfio/57"},
	{"number: a vfio device",
	 "../../devices/pci0000:3a/0000:3a:00.0/0000:3b:02.5/vfio-dev/vfio0", NUMBER_VFIO,
	 "vfio/devices/vfio0"},
	{"number: what lies below a vfio group is none", "../../devices/virtual/vfio/57/hidraw0",
	 NUMBER_OTHER, NULL},
	{"number: another device's directory called vfio", "../../devices/platform/x/vfio/57",
	 NUMBER_OTHER, NULL},
	{"number: a class that begins as vfio's does", "../../devices/virtual/vfio-other/57",
	 NUMBER_OTHER, NULL},
	{"number: what lies below a function's vfio device is none",
	 "../../devices/pci0000:3a/0000:3a:00.0/vfio-dev/vfio0/hidraw/hidraw0", NUMBER_OTHER, NULL},
	{"number: vfio's own control device is no function", "../../devices/virtual/misc/vfio",
	 NUMBER_OTHER, NULL},
	{"number: a vDPA device",
	 "../../devices/pci0000:3a/0000:3a:00.0/0000:3b:02.5/vdpa0/vhost-vdpa-0", NUMBER_VDPA,
	 NULL},
	{"number: vhost-net is none", "../../devices/virtual/misc/vhost-net", NUMBER_OTHER, NULL},
	{"number: null", "../../devices/virtual/mem/null", NUMBER_OTHER, NULL},
};

UNIT_ROWS(number_cases)
{
	WITH_DIR(dir);
	struct devices devices = {0};
	struct node node = {.recorded = true, .root = dir.fd, .char_devices = dir.fd};

	assert_int_equal(symlinkat(row->link, dir.fd, "240:7"), 0);
	/* linux.devices may list a device twice, with two paths. */
	for (int i = 0; i < 2; i++)
		assert_int_equal(node_find_number(&node, &arena, 240, 7, &devices), row->want);
	assert_int_equal(devices.n, 0);
	assert_int_equal(devices.n_vfio, row->vfio != NULL);
	if (row->vfio)
		assert_string_equal(devices.vfio[0], row->vfio);
}
