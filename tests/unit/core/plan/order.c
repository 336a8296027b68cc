/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which a container knows its devices. */
#include "tests/unit/unit.h"

#include "core/base/text.h"
#include "core/plan/plan.h"

#define ITEMS_MAX 6
#define A "0000:3b:02.6"
#define B "0000:5d:00.3"
#define C "0000:9a:01.2"

struct proven {
	const char *ibdev;
	const char *address; /* "": no hardware below it */
	const char *uverbs;
};

static const struct order_case {
	const char *name;
	struct proven devices[ITEMS_MAX];
	struct claim claims[ITEMS_MAX];
	const char *order; /* "mlx5_6/sriov mlx5_7/device" */
	const char *warnings;
} cases[] = {
	{"order: nothing", LIST({0}), LIST({0}), "", ""},
	{"order: by PCI address, whatever their names",
	 LIST({"mlx5_0", C, "uverbs0"}, {"mlx5_1", A, "uverbs1"}), LIST({0}),
	 "mlx5_1/device mlx5_0/device", ""},
	{"order: of one PCI function by name, numbers as numbers",
	 LIST({"mlx5_10", B, "uverbs10"}, {"mlx5_2", B, "uverbs2"}, {"mlx5_11", A, "uverbs11"}),
	 LIST({0}), "mlx5_11/device mlx5_2/device mlx5_10/device", ""},
	{"order: not as the claims name them",
	 LIST({"mlx5_1", A, "uverbs1"}, {"mlx5_2", B, "uverbs2"}, {"mlx5_3", C, "uverbs3"}),
	 LIST({CLAIM_SRIOV, C, NULL, NULL}, {CLAIM_SRIOV, A, NULL, NULL},
	      {CLAIM_SRIOV, B, NULL, NULL}),
	 "mlx5_1/sriov mlx5_2/sriov mlx5_3/sriov", ""},
	{"order: what no claim names stands between the others",
	 LIST({"mlx5_10", A, "uverbs10"}, {"mlx5_9", B, "uverbs9"}, {"mlx5_11", C, "uverbs11"}),
	 LIST({CLAIM_SRIOV, C, NULL, NULL}), "mlx5_10/device mlx5_9/device mlx5_11/sriov", ""},
	{"order: a DRA claim is named as its source",
	 LIST({"mlx5_1", A, "uverbs1"}, {"mlx5_2", B, "uverbs2"}),
	 LIST({CLAIM_DRA, B, NULL, NULL}, {CLAIM_SRIOV, A, NULL, NULL}), "mlx5_1/sriov mlx5_2/dra",
	 ""},
	{"order: of two claims for one device the first holds",
	 LIST({"mlx5_1", A, "uverbs1"}, {"mlx5_2", B, "uverbs2"}),
	 LIST({CLAIM_DRA, B, NULL, NULL}, {CLAIM_SRIOV, A, NULL, NULL},
	      {CLAIM_SRIOV, B, NULL, NULL}),
	 "mlx5_1/sriov mlx5_2/dra", ""},
	{"order: a claim without a device is dropped with a warning",
	 LIST({"mlx5_1", A, "uverbs1"}),
	 LIST({CLAIM_SRIOV, B, NULL, NULL}, {CLAIM_SRIOV, A, NULL, NULL}), "mlx5_1/sriov",
	 "not_allocated"},
	{"order: the claim's file is another device's now", LIST({"mlx5_7", B, "uverbs6"}),
	 LIST({CLAIM_SRIOV, A, "mlx5_6", "/dev/infiniband/uverbs6"}), "mlx5_7/device",
	 "stale_number"},
	{"order: the claim's file is nobody's now", LIST({"mlx5_7", B, "uverbs7"}),
	 LIST({CLAIM_DRA, A, NULL, "/dev/infiniband/uverbs6"},
	      {CLAIM_DRA, B, NULL, "/dev/infiniband/uverbs7"}),
	 "mlx5_7/dra", "not_allocated"},
	{"order: claims alone prove nothing", LIST({0}),
	 LIST({CLAIM_SRIOV, A, "mlx5_6", NULL}, {CLAIM_DRA, B, NULL, NULL}), "",
	 "not_allocated,not_allocated"},
	{"order: a claim that calls it as the node does", LIST({"mlx5_6", A, "uverbs6"}),
	 LIST({CLAIM_SRIOV, A, "mlx5_6", NULL}), "mlx5_6/sriov", ""},
	{"order: a claim that calls it otherwise is corrected", LIST({"mlx5_6", A, "uverbs6"}),
	 LIST({CLAIM_SRIOV, A, "mlx5_0", NULL}), "mlx5_6/sriov", "env_disagrees"},
	{"order: an ibdev of another address does not move that one",
	 LIST({"mlx5_6", A, "uverbs6"}, {"mlx5_7", B, "uverbs7"}),
	 LIST({CLAIM_SRIOV, B, "mlx5_6", NULL}), "mlx5_6/device mlx5_7/sriov", "env_disagrees"},
	{"order: a function with two verbs devices gives both, by name",
	 LIST({"mlx5_10", A, "uverbs10"}, {"mlx5_0", B, "uverbs0"}, {"mlx5_9", A, "uverbs9"}),
	 LIST({CLAIM_SRIOV, A, "mlx5_10", NULL}, {CLAIM_SRIOV, B, NULL, NULL}),
	 "mlx5_9/sriov mlx5_10/sriov mlx5_0/sriov", ""},
	{"order: none of two verbs devices is called so",
	 LIST({"mlx5_10", A, "uverbs10"}, {"mlx5_9", A, "uverbs9"}),
	 LIST({CLAIM_SRIOV, A, "mlx5_8", NULL}), "mlx5_9/sriov mlx5_10/sriov", "env_disagrees"},
	{"order: auxiliary devices",
	 LIST({"mlx5_10", "mlx5_core.sf.10", "uverbs10"}, {"mlx5_4", "mlx5_core.sf.4", "uverbs4"}),
	 LIST({CLAIM_SRIOV, "mlx5_core.sf.10", NULL, NULL},
	      {CLAIM_SRIOV, "mlx5_core.sf.1", NULL, NULL}),
	 "mlx5_4/device mlx5_10/sriov", "not_allocated"},
	{"order: devices without hardware come last, by name",
	 LIST({"rxe10", "", "uverbs1"}, {"rxe2", "", "uverbs0"}, {"xscale_0", A, "uverbs2"}),
	 LIST({CLAIM_SRIOV, A, NULL, NULL}), "xscale_0/sriov rxe2/device rxe10/device", ""},
	{"order: a number that linux.devices lists twice is one device",
	 LIST({"mlx5_1", A, "uverbs1"}, {"mlx5_2", B, "uverbs2"}, {"mlx5_1", A, "uverbs1"}),
	 LIST({0}), "mlx5_1/device mlx5_2/device", ""},
	{"order: twice, and claimed",
	 LIST({"mlx5_1", A, "uverbs1"}, {"mlx5_2", B, "uverbs2"}, {"mlx5_1", A, "uverbs1"}),
	 LIST({CLAIM_SRIOV, B, NULL, NULL}, {CLAIM_SRIOV, A, NULL, NULL}),
	 "mlx5_1/sriov mlx5_2/sriov", ""},
	{"order: three times, without hardware",
	 LIST({"rxe0", "", "uverbs0"}, {"rxe0", "", "uverbs0"}, {"rxe1", "", "uverbs1"},
	      {"rxe0", "", "uverbs0"}),
	 LIST({0}), "rxe0/device rxe1/device", ""},
};

static struct devices make_devices(const struct proven *proven, struct device *room)
{
	struct devices devices = {.item = room};

	for (; devices.n < ITEMS_MAX && proven[devices.n].ibdev; devices.n++) {
		struct device *device = &room[devices.n];
		const struct proven *from = &proven[devices.n];

		/* What stood there before must not show. */
		*device = (struct device){.source = SOURCE_DRA};
		(void)snprintf(device->ibdev, sizeof(device->ibdev), "%s", from->ibdev);
		(void)snprintf(device->uverbs, sizeof(device->uverbs), "%s", from->uverbs);
		(void)snprintf(device->address, sizeof(device->address), "%s", from->address);
		if (text_is_pci_address(from->address))
			(void)snprintf(device->pci, sizeof(device->pci), "%s", from->address);
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
	WITH_ARENA;
	struct device room[ITEMS_MAX];
	struct devices devices = make_devices(row->devices, room);
	struct claims claims = {.item = (struct claim *)row->claims};
	struct warnings warnings = {0};

	while (claims.n < ITEMS_MAX && row->claims[claims.n].address)
		claims.n++;
	assert_int_equal(order_devices(&arena, &claims, &devices, &warnings, &err), 0);
	assert_string_equal(render(&arena, &devices), row->order);
	assert_string_equal(unit_codes(&arena, &warnings), row->warnings);
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
	WITH_ARENA;
	struct device room[ITEMS_MAX];
	struct devices devices = make_devices(proven, room);
	struct claims claims = {.item = (struct claim *)&row->claim, .n = 1};
	struct warnings warnings = {0};

	assert_int_equal(order_devices(&arena, &claims, &devices, &warnings, &err), 0);
	assert_int_equal(warnings.n, 1);
	assert_has(warnings.item[0].message, row->message);
}

/* The same devices in any order in linux.devices give the same result. */
UNIT_TEST("order: does not depend on that of linux.devices")
{
	static const struct proven four[] = {{"mlx5_10", A, "uverbs10"},
					     {"mlx5_2", B, "uverbs2"},
					     {"mlx5_1", C, "uverbs1"},
					     {"mlx5_3", C, "uverbs3"}};
	struct claim claim = {CLAIM_SRIOV, B, NULL, NULL};

	for (int i = 0; i < 256; i++) {
		int at[] = {i & 3, i >> 2 & 3, i >> 4 & 3, i >> 6 & 3};
		WITH_ARENA;
		struct proven proven[ITEMS_MAX] = {{0}};
		struct device room[ITEMS_MAX];
		struct claims claims = {.item = &claim, .n = 1};
		struct warnings warnings = {0};
		struct devices devices;

		if (((1 << at[0]) | (1 << at[1]) | (1 << at[2]) | (1 << at[3])) != 15)
			continue;
		for (int d = 0; d < 4; d++)
			proven[d] = four[at[d]];
		devices = make_devices(proven, room);
		assert_int_equal(order_devices(&arena, &claims, &devices, &warnings, &err), 0);
		assert_string_equal(render(&arena, &devices),
				    "mlx5_10/device mlx5_2/sriov mlx5_1/device mlx5_3/device");
	}
}

/* A node of 1,024 virtual functions, all of one container, claimed backwards */
UNIT_TEST("order: a thousand devices, given and claimed backwards")
{
	const size_t n = 1024;
	WITH_ARENA;
	struct devices devices = {.item = arena_alloc(&arena, n * sizeof(struct device)), .n = n};
	struct claims claims = {.item = arena_alloc(&arena, n * sizeof(struct claim)), .n = n};
	struct warnings warnings = {0};

	for (size_t i = 0; i < n; i++) {
		struct device *device = &devices.item[n - 1 - i];

		(void)snprintf(device->ibdev, sizeof(device->ibdev), "mlx5_%zu", i);
		(void)snprintf(device->uverbs, sizeof(device->uverbs), "uverbs%zu", i);
		(void)snprintf(device->address, sizeof(device->address), "mlx5_core.sf.%zu", i);
		claims.item[n - 1 - i].address = arena_strdup(&arena, device->address);
	}
	assert_int_equal(order_devices(&arena, &claims, &devices, &warnings, &err), 0);
	assert_int_equal(devices.n, n);
	assert_int_equal(warnings.n, 0);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(devices.item[i].address, claims.item[n - 1 - i].address);
}

int main(void)
{
	return unit_main("order");
}
