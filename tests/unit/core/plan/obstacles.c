/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in the way although it is allocated: ports */
#include "tests/unit/unit.h"

#include "core/plan/plan.h"

/* ---- obstacles ---- */

#define PORT(state_, phys_, layer_)                                                                \
	LIST(.number = 1, .state = (state_), .phys_state = (phys_), .link_layer = (layer_))
#define GOOD PORT("ACTIVE", "LinkUp", "Ethernet")
#define OFF PORT("DOWN", "Disabled", "Ethernet")
#define LOST PORT("DOWN", "Polling", "Ethernet")

static const struct obstacle_case {
	const char *name;
	struct port port[2][2]; /* of two devices; a port without a number is none */
	const char *codes;
	const char *message; /* in the first */
} obstacle_cases[] = {
	{"ports: all is well", LIST({GOOD}, {GOOD}), .codes = ""},
	{"ports: a lost link may come back", LIST({LOST}, {GOOD}), .codes = "port_not_active"},
	{"ports: switched off", LIST({OFF}, {GOOD}), .codes = "port_unusable", .message = "mlx5_0"},
	{"ports: one of two is switched off", LIST({OFF, GOOD}), .codes = "port_not_active"},
	{"ports: one that comes up may still say that it was off",
	 LIST({PORT("INIT", "Disabled", "Ethernet")}), .codes = "port_not_active"},
	{"ports: both are switched off", LIST({OFF, OFF}), .codes = "port_unusable"},
	{"ports: one off, one lost", LIST({OFF, LOST}), .codes = "port_not_active,port_not_active"},
	{"ports: neither Ethernet nor InfiniBand",
	 LIST({GOOD}, {PORT("ACTIVE", "LinkUp", "Unspecified")}), .codes = "port_unusable",
	 .message = "mlx5_1 has no Ethernet or InfiniBand port (Unspecified)"},
	{"ports: a link layer that was not read is no obstacle", LIST({PORT("", "", "")}),
	 .codes = ""},
	{"ports: both kinds on one device", LIST({GOOD, PORT("ACTIVE", "LinkUp", "InfiniBand")}),
	 .codes = "link_layer_mix"},
	{"ports: both kinds on two devices", LIST({GOOD}, {PORT("ACTIVE", "LinkUp", "InfiniBand")}),
	 .codes = "link_layer_mix",
	 .message = "mlx5_0 has an Ethernet port and mlx5_1 has an InfiniBand port"},
	{"ports: InfiniBand alone",
	 LIST({PORT("ACTIVE", "LinkUp", "InfiniBand")}, {PORT("ACTIVE", "LinkUp", "InfiniBand")}),
	 .codes = ""},
};

static void fill_devices(const struct obstacle_case *row, struct device device[2],
			 struct devices *devices)
{
	for (size_t i = 0; i < 2 && row->port[i][0].number; i++) {
		(void)snprintf(device[i].ibdev, sizeof(device[i].ibdev), "mlx5_%zu", i);
		(void)snprintf(device[i].pci, sizeof(device[i].pci), "0000:0%zu:00.0", i);
		device[i].port = (struct port *)row->port[i];
		device[i].n_ports = row->port[i][1].number ? 2 : 1;
		devices->n++;
	}
}

UNIT_ROWS(obstacle_cases)
{
	cleanup_arena arena = {0};
	struct warnings warnings = {0};
	struct spec spec = {0};
	struct device device[2] = {0};
	struct devices devices = {.item = device};
	struct facts facts = {.spec = &spec, .devices = &devices};

	fill_devices(row, device, &devices);
	assert_int_equal(obstacles_warn(&(struct planning){&arena, &facts, NULL, &warnings}), 0);
	assert_string_equal(unit_codes(&arena, &warnings), row->codes);
	if (row->message)
		assert_has(warnings.item[0].message, row->message);
}

/* As while its driver is loaded: of no port nothing is known. */
UNIT_TEST("ports: a device without them, on a node whose GPUs are not known")
{
	cleanup_arena arena = {0};
	struct warnings warnings = {0};
	struct spec spec = {0};
	struct device device = {.ibdev = "mlx5_0"};
	struct devices devices = {.item = &device, .n = 1};
	struct facts facts = {.spec = &spec, .devices = &devices};

	assert_int_equal(obstacles_warn(&(struct planning){&arena, &facts, NULL, &warnings}), 0);
	assert_int_equal(warnings.n, 0);
}

/* ---- character devices that are no verbs devices ---- */

static const struct number_case {
	const char *name;
	const char *link; /* of sys/dev/char/240:7 */
	int want;
} number_cases[] = {
	{"number: a vfio group", "../../devices/virtual/vfio/57", NUMBER_VFIO},
	{"number: a vfio device",
	 "../../devices/pci0000:3a/0000:3a:00.0/0000:3b:02.5/vfio-dev/vfio0", NUMBER_VFIO},
	{"number: vfio's own control device is no function", "../../devices/virtual/misc/vfio",
	 NUMBER_OTHER},
	{"number: a vDPA device",
	 "../../devices/pci0000:3a/0000:3a:00.0/0000:3b:02.5/vdpa0/vhost-vdpa-0", NUMBER_VDPA},
	{"number: vhost-net is none", "../../devices/virtual/misc/vhost-net", NUMBER_OTHER},
	{"number: null", "../../devices/virtual/mem/null", NUMBER_OTHER},
};

UNIT_ROWS(number_cases)
{
	WITH_DIR(dir);
	struct devices devices = {0};
	struct node node = {.recorded = true, .root = dir.fd, .char_devices = dir.fd};

	assert_int_equal(symlinkat(row->link, dir.fd, "240:7"), 0);
	assert_int_equal(node_find_number(&node, &arena, 240, 7, &devices, &err), row->want);
	assert_int_equal(devices.n, 0);
}

int main(void)
{
	return unit_main("obstacles");
}
