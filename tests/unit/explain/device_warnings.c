/* SPDX-License-Identifier: Apache-2.0 */
/* Dry run: which claim ordered a device, and warnings about ports */
#include "tests/unit/unit.h"

#include "core/base/text.h"
#include "explain/device_warnings.h"

#define ITEMS_MAX 6
#define A "0000:3b:02.6"
#define B "0000:5d:00.3"
#define C "0000:9a:01.2"

/* ---- claims ---- */

struct proven {
	const char *ibdev;
	const char *address; /* "": no hardware */
	const char *uverbs;
};

static const struct order_case {
	const char *name;
	struct proven devices[ITEMS_MAX];
	struct claim claims[ITEMS_MAX];
	const char *order; /* "mlx5_6/sriov mlx5_7/device" */
	const char *warnings;
} cases[] = {
	{"label: nothing", LIST({0}), LIST({0}), "", ""},
	{"label: what no claim names stands between the others",
	 LIST({"mlx5_10", A, "uverbs10"}, {"mlx5_9", B, "uverbs9"}, {"mlx5_11", C, "uverbs11"}),
	 LIST({CLAIM_SRIOV, C, NULL, NULL}), "mlx5_10/device mlx5_9/device mlx5_11/sriov", ""},
	{"label: a DRA claim is named as its source",
	 LIST({"mlx5_1", A, "uverbs1"}, {"mlx5_2", B, "uverbs2"}),
	 LIST({CLAIM_DRA, B, NULL, NULL}, {CLAIM_SRIOV, A, NULL, NULL}), "mlx5_1/sriov mlx5_2/dra",
	 ""},
	{"label: of two claims for one device the first holds",
	 LIST({"mlx5_1", A, "uverbs1"}, {"mlx5_2", B, "uverbs2"}),
	 LIST({CLAIM_DRA, B, NULL, NULL}, {CLAIM_SRIOV, A, NULL, NULL},
	      {CLAIM_SRIOV, B, NULL, NULL}),
	 "mlx5_1/sriov mlx5_2/dra", ""},
	{"label: a claim without a device is dropped with a warning",
	 LIST({"mlx5_1", A, "uverbs1"}),
	 LIST({CLAIM_SRIOV, B, NULL, NULL}, {CLAIM_SRIOV, A, NULL, NULL}), "mlx5_1/sriov",
	 "not_allocated"},
	{"label: the claim's file is another device's now", LIST({"mlx5_7", B, "uverbs6"}),
	 LIST({CLAIM_SRIOV, A, "mlx5_6", "/dev/infiniband/uverbs6"}), "mlx5_7/device",
	 "stale_number"},
	{"label: the claim's file is nobody's now", LIST({"mlx5_7", B, "uverbs7"}),
	 LIST({CLAIM_DRA, A, NULL, "/dev/infiniband/uverbs6"},
	      {CLAIM_DRA, B, NULL, "/dev/infiniband/uverbs7"}),
	 "mlx5_7/dra", "not_allocated"},
	{"label: claims alone prove nothing", LIST({0}),
	 LIST({CLAIM_SRIOV, A, "mlx5_6", NULL}, {CLAIM_DRA, B, NULL, NULL}), "",
	 "not_allocated,not_allocated"},
	{"label: a claim that calls it as the node does", LIST({"mlx5_6", A, "uverbs6"}),
	 LIST({CLAIM_SRIOV, A, "mlx5_6", NULL}), "mlx5_6/sriov", ""},
	{"label: a claim that calls it otherwise is corrected", LIST({"mlx5_6", A, "uverbs6"}),
	 LIST({CLAIM_SRIOV, A, "mlx5_0", NULL}), "mlx5_6/sriov", "env_disagrees"},
	{"label: an ibdev of another address does not move that one",
	 LIST({"mlx5_6", A, "uverbs6"}, {"mlx5_7", B, "uverbs7"}),
	 LIST({CLAIM_SRIOV, B, "mlx5_6", NULL}), "mlx5_6/device mlx5_7/sriov", "env_disagrees"},
	{"label: a function with two verbs devices gives both, by name",
	 LIST({"mlx5_10", A, "uverbs10"}, {"mlx5_0", B, "uverbs0"}, {"mlx5_9", A, "uverbs9"}),
	 LIST({CLAIM_SRIOV, A, "mlx5_10", NULL}, {CLAIM_SRIOV, B, NULL, NULL}),
	 "mlx5_9/sriov mlx5_10/sriov mlx5_0/sriov", ""},
	{"label: none of two verbs devices is called so",
	 LIST({"mlx5_10", A, "uverbs10"}, {"mlx5_9", A, "uverbs9"}),
	 LIST({CLAIM_SRIOV, A, "mlx5_8", NULL}), "mlx5_9/sriov mlx5_10/sriov", "env_disagrees"},
	{"label: auxiliary devices",
	 LIST({"mlx5_10", "mlx5_core.sf.10", "uverbs10"}, {"mlx5_4", "mlx5_core.sf.4", "uverbs4"}),
	 LIST({CLAIM_SRIOV, "mlx5_core.sf.10", NULL, NULL},
	      {CLAIM_SRIOV, "mlx5_core.sf.1", NULL, NULL}),
	 "mlx5_4/device mlx5_10/sriov", "not_allocated"},
	{"label: devices without hardware come last, by name",
	 LIST({"rxe10", "", "uverbs1"}, {"rxe2", "", "uverbs0"}, {"xscale_0", A, "uverbs2"}),
	 LIST({CLAIM_SRIOV, A, NULL, NULL}), "xscale_0/sriov rxe2/device rxe10/device", ""},
};

static struct devices make_devices(const struct proven *proven, struct device *room)
{
	struct devices devices = {.item = room};

	for (; devices.n < ITEMS_MAX && proven[devices.n].ibdev; devices.n++) {
		struct device *device = &room[devices.n];
		const struct proven *from = &proven[devices.n];

		*device = (struct device){0};
		snprintf(device->ibdev, sizeof(device->ibdev), "%s", from->ibdev);
		snprintf(device->uverbs, sizeof(device->uverbs), "%s", from->uverbs);
		device->address = from->address;
		if (text_is_pci_address(from->address))
			snprintf(device->pci, sizeof(device->pci), "%s", from->address);
	}
	return devices;
}

static const char *render(struct arena *arena, const struct devices *devices)
{
	static const char *const source[] = {
		[SOURCE_SRIOV] = "sriov", [SOURCE_DRA] = "dra", [SOURCE_DEVICE] = "device"};
	const char *text = "";

	for (size_t i = 0; i < devices->n; i++)
		text = arena_printf(arena, "%s%s%s/%s", text, i ? " " : "", devices->item[i].ibdev,
				    source[devices->item[i].source]);
	return text;
}

UNIT_ROWS(cases)
{
	cleanup_container container = CONTAINER_NONE;
	struct device room[ITEMS_MAX];
	struct claims claims = {.item = (struct claim *)row->claims};

	container.devices = make_devices(row->devices, room);
	while (claims.n < ITEMS_MAX && row->claims[claims.n].address)
		claims.n++;
	devices_sort(&container.devices);
	assert_int_equal(devices_label(&container, &claims), 0);
	assert_string_equal(render(&container.arena, &container.devices), row->order);
	assert_string_equal(unit_codes(&container.arena, &container.warnings), row->warnings);
}

/* A file that was reported by number is not reported again by address. */
UNIT_TEST("label: a claim whose file was given, but is no verbs device's")
{
	static const char file[] = "/dev/vfio/57";
	struct claim claim = {CLAIM_SRIOV, A, NULL, file};
	struct spec_device given = {.path = file, .character = true, .major = 240, .minor = 57};
	cleanup_container container = CONTAINER_NONE;
	struct claims claims = {.item = &claim, .n = 1};

	container.spec = (struct spec){.devices = &given, .n_devices = 1};
	assert_int_equal(devices_label(&container, &claims), 0);
	assert_int_equal(container.warnings.n, 0);
	given.path = "/dev/vfio/58";
	assert_int_equal(devices_label(&container, &claims), 0);
	assert_int_equal(container.warnings.n, 1);
}

static const struct message_case {
	const char *name;
	struct claim claim;
	const char *message;
} message_cases[] = {
	{"warning: what is not there", LIST(CLAIM_SRIOV, A, NULL, NULL),
	 "the environment names " A ", but linux.devices does not contain"},
	{"warning: what is not there, and its name", LIST(CLAIM_SRIOV, A, "mlx5_6", NULL),
	 "the environment names " A " (mlx5_6), but linux.devices does not contain"},
	{"warning: whose number another has now",
	 LIST(CLAIM_SRIOV, A, NULL, "/dev/infiniband/uverbs7"),
	 "/dev/infiniband/uverbs7 was allocated as " A ", but is now mlx5_7 (" B "), which"},
	{"warning: whose number another has now, and its name",
	 LIST(CLAIM_SRIOV, A, "mlx5_6", "/dev/infiniband/uverbs7"),
	 "/dev/infiniband/uverbs7 was allocated as " A " (mlx5_6), but is now mlx5_7 (" B
	 "), which"},
	{"warning: what is called otherwise here", LIST(CLAIM_SRIOV, B, "mlx5_6", NULL),
	 "the environment calls " B " mlx5_6, but its name on this node is mlx5_7:"},
};

UNIT_ROWS(message_cases)
{
	static const struct proven proven[] = {{"mlx5_7", B, "uverbs7"}, {0}};
	cleanup_container container = CONTAINER_NONE;
	struct device room[ITEMS_MAX];
	struct claims claims = {.item = (struct claim *)&row->claim, .n = 1};

	container.devices = make_devices(proven, room);
	assert_int_equal(devices_label(&container, &claims), 0);
	assert_int_equal(container.warnings.n, 1);
	assert_has(container.warnings.item[0].message, row->message);
}

/* ---- ports ---- */

#define PORT(state_, phys_, layer_)                                                                \
	LIST(.number = 1, .state = (state_), .phys_state = (phys_), .link_layer = (layer_))
#define GOOD PORT("ACTIVE", "LinkUp", "Ethernet")
#define OFF PORT("DOWN", "Disabled", "Ethernet")
#define LOST PORT("DOWN", "Polling", "Ethernet")

static const struct obstacle_case {
	const char *name;
	struct port port[2][2]; /* of two devices; ports without a number do not exist */
	const char *codes;
	const char *message; /* in the first warning */
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
	 .message = "mlx5_1: no Ethernet or InfiniBand port (Unspecified)"},
	{"ports: all devices of a kind are one warning", LIST({OFF}, {OFF}),
	 .codes = "port_unusable", .message = "mlx5_0, mlx5_1: every port is DOWN"},
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
		snprintf(device[i].ibdev, sizeof(device[i].ibdev), "mlx5_%zu", i);
		snprintf(device[i].pci, sizeof(device[i].pci), "0000:0%zu:00.0", i);
		device[i].port = (struct port *)row->port[i];
		device[i].n_ports = row->port[i][1].number ? 2 : 1;
		devices->n++;
	}
}

UNIT_ROWS(obstacle_cases)
{
	cleanup_container container = CONTAINER_NONE;
	struct device device[2] = {0};

	container.devices.item = device;
	fill_devices(row, device, &container.devices);
	assert_int_equal(ports_warn(&container), 0);
	assert_string_equal(unit_codes(&container.arena, &container.warnings), row->codes);
	if (row->message)
		assert_has(container.warnings.item[0].message, row->message);
}

/* While the driver loads: nothing is known of the ports. */
UNIT_TEST("ports: a device without them")
{
	cleanup_container container = CONTAINER_NONE;
	struct device device = {.ibdev = "mlx5_0"};

	container.devices = (struct devices){.item = &device, .n = 1};
	assert_int_equal(ports_warn(&container), 0);
	assert_int_equal(container.warnings.n, 0);
}

int main(void)
{
	return unit_main("devices");
}
