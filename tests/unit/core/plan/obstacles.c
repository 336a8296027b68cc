/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in the way although it is allocated: distances on the PCI tree, ports, IOMMU,
 * namespaces */
#include "tests/unit/unit.h"

#include "core/plan/plan.h"

/* ---- distance ---- */

#define HOST "sys/devices/pci0000:3a"
#define SWITCH HOST "/0000:3a:00.0/0000:3b:00.0" /* upstream port, below a root port */

static const struct distance_case {
	const char *name;
	const char *a;
	const char *b;
	int numa_a; /* -1: not known */
	int numa_b;
	const char *want;
} distance_cases[] = {
	{"distance: two functions of one device", HOST "/0000:3a:00.0/0000:3b:00.0",
	 HOST "/0000:3a:00.0/0000:3b:00.1", 0, 0, "PIX"},
	{"distance: two ports of one switch", SWITCH "/0000:3c:00.0/0000:3d:00.0",
	 SWITCH "/0000:3c:04.0/0000:3e:00.0", 0, 0, "PIX"},
	{"distance: a switch behind a switch", SWITCH "/0000:3c:00.0/0000:3d:00.0",
	 SWITCH "/0000:3c:04.0/0000:3e:00.0/0000:3f:00.0/0000:40:00.0", 0, 0, "PXB"},
	{"distance: two root ports of one host bridge", HOST "/0000:3a:00.0/0000:3b:00.0",
	 HOST "/0000:3a:01.0/0000:4b:00.0", 0, 0, "PHB"},
	{"distance: addresses that begin alike are two", HOST "/0000:3a:00.0/0000:3b:00.0",
	 HOST "/0000:3a:00.1/0000:3b:00.0", 0, 0, "PHB"},
	{"distance: two host bridges of one NUMA node", HOST "/0000:3a:00.0/0000:3b:00.0",
	 "sys/devices/pci0000:5c/0000:5c:00.0/0000:5d:00.0", 1, 1, "NODE"},
	{"distance: host bridges that begin alike are two", HOST "/0000:3a:00.0",
	 "sys/devices/pci0000:3a1/0000:3a:00.0", 1, 1, "NODE"},
	{"distance: two NUMA nodes", HOST "/0000:3a:00.0/0000:3b:00.0",
	 "sys/devices/pci0000:5c/0000:5c:00.0/0000:5d:00.0", 0, 1, "SYS"},
	{"distance: NUMA nodes that nobody knows", HOST "/0000:3a:00.0/0000:3b:00.0",
	 "sys/devices/pci0000:5c/0000:5c:00.0/0000:5d:00.0", -1, -1, "SYS"},
	{"distance: a host bridge below a platform device",
	 "sys/devices/platform/soc/pci0000:00/0000:00:00.0/0000:01:00.0",
	 "sys/devices/platform/soc/pci0000:00/0000:00:01.0/0000:02:00.0", 0, 0, "PHB"},
	{"distance: two of one platform device",
	 "sys/devices/platform/soc/pci0000:00/0000:00:00.0/0000:01:00.0",
	 "sys/devices/platform/soc/pci0001:00/0001:00:00.0/0001:01:00.0", 0, 0, "NODE"},
	{"distance: one function twice", HOST "/0000:3a:00.0", HOST "/0000:3a:00.0", 0, 0, "PIX"},
	{"distance: a bridge and what is behind it", HOST "/0000:3a:00.0",
	 HOST "/0000:3a:00.0/0000:3b:00.0", 0, 0, "PIX"},
	{"distance: a NUMA node that one of them does not say", HOST "/0000:3a:00.0/0000:3b:00.0",
	 "sys/devices/pci0000:5c/0000:5c:00.0/0000:5d:00.0", 0, -1, "SYS"},
	{"distance: below no host bridge, on one NUMA node", "sys/devices/platform/a",
	 "sys/devices/platform/b", 0, 0, "NODE"},
	{"distance: below no host bridge", "sys/devices/platform/a", "sys/devices/platform/b", -1,
	 -1, "SYS"},
	{"distance: no PCI function", NULL, HOST "/0000:3a:00.0/0000:3b:00.0", 0, 0, ""},
};

UNIT_ROWS(distance_cases)
{
	struct pci_place a = {
		.path = row->a, .has_numa_node = row->numa_a >= 0, .numa_node = row->numa_a};
	struct pci_place b = {
		.path = row->b, .has_numa_node = row->numa_b >= 0, .numa_node = row->numa_b};

	assert_string_equal(pci_distance_name(pci_distance(&a, &b)), row->want);
	assert_string_equal(pci_distance_name(pci_distance(&b, &a)), row->want);
}

/* ---- obstacles ---- */

#define PORT(state_, phys_, layer_)                                                                \
	LIST(.number = 1, .state = (state_), .phys_state = (phys_), .link_layer = (layer_))
#define GOOD PORT("ACTIVE", "LinkUp", "Ethernet")
#define OFF PORT("DOWN", "Disabled", "Ethernet")
#define LOST PORT("DOWN", "Polling", "Ethernet")

static const struct obstacle_case {
	const char *name;
	struct port port[2][2]; /* of two devices; a port without a number is none */
	const char *iommu[2];
	const char *gpu_iommu; /* NULL: no GPU */
	enum rdma_mode mode;
	bool moved;
	bool pod_network;
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

	{"IOMMU: translates, and there is a GPU", LIST({GOOD}), .iommu = {"DMA-FQ"},
	 .gpu_iommu = "identity", .codes = "iommu_translates",
	 .message = "of 0000:00:00.0 (DMA-FQ): "},
	{"IOMMU: translates for the GPU", LIST({GOOD}), .iommu = {"identity"}, .gpu_iommu = "DMA",
	 .codes = "iommu_translates", .message = "of 0000:1b:00.0 (DMA): "},
	{"IOMMU: translates for all: one warning", LIST({GOOD}, {GOOD}), .iommu = {"DMA", "DMA"},
	 .gpu_iommu = "DMA", .codes = "iommu_translates",
	 .message = "of 0000:00:00.0 (DMA), 0000:01:00.0 (DMA), 0000:1b:00.0 (DMA): "},
	{"IOMMU: without a GPU there is no GPUDirect", LIST({GOOD}), .iommu = {"DMA-FQ"},
	 .codes = ""},
	{"IOMMU: passthrough", LIST({GOOD}), .iommu = {"identity"}, .gpu_iommu = "identity",
	 .codes = ""},
	{"IOMMU: none", LIST({GOOD}), .iommu = {""}, .gpu_iommu = "", .codes = ""},

	{"namespace: exclusive, and still the node's", LIST({GOOD}), .mode = RDMA_MODE_EXCLUSIVE,
	 .pod_network = true, .codes = "rdma_netns", .message = "mlx5_0 is in the node's"},
	{"namespace: exclusive, and moved", LIST({GOOD}), .mode = RDMA_MODE_EXCLUSIVE,
	 .moved = true, .pod_network = true, .codes = ""},
	{"namespace: exclusive, and the container is in the node's too", LIST({GOOD}),
	 .mode = RDMA_MODE_EXCLUSIVE, .codes = ""},
	{"namespace: shared", LIST({GOOD}), .mode = RDMA_MODE_SHARED, .pod_network = true,
	 .codes = ""},
	{"namespace: a mode that nobody knows", LIST({GOOD}), .pod_network = true, .codes = ""},
};

static void fill_devices(const struct obstacle_case *row, struct device device[2],
			 struct devices *devices)
{
	for (size_t i = 0; i < 2 && row->port[i][0].number; i++) {
		(void)snprintf(device[i].ibdev, sizeof(device[i].ibdev), "mlx5_%zu", i);
		(void)snprintf(device[i].pci, sizeof(device[i].pci), "0000:0%zu:00.0", i);
		device[i].port = (struct port *)row->port[i];
		device[i].n_ports = row->moved ? 0 : row->port[i][1].number ? 2 : 1;
		if (row->iommu[i])
			strcpy(device[i].place.iommu, row->iommu[i]);
		devices->n++;
	}
}

UNIT_ROWS(obstacle_cases)
{
	cleanup_arena arena = {0};
	struct warnings warnings = {0};
	struct spec spec = {.network_namespace = row->pod_network};
	struct device device[2] = {0};
	struct devices devices = {.item = device};
	struct gpu gpu = {.pci = "0000:1b:00.0"};
	struct gpus gpus = {.item = &gpu, .n = row->gpu_iommu ? 1 : 0};
	struct facts facts = {
		.spec = &spec, .devices = &devices, .gpus = &gpus, .rdma_mode = row->mode};

	fill_devices(row, device, &devices);
	if (row->gpu_iommu)
		strcpy(gpu.place.iommu, row->gpu_iommu);
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
