/* SPDX-License-Identifier: Apache-2.0 */
/* Dry run: distances of GPUs and HCAs, and obstacles of the node: IOMMU, network namespaces */
#include "tests/unit/unit.h"

#include "explain/explain.h"

/* ---- distance ---- */

#define HOST "sys/devices/pci0000:3a"
#define SWITCH HOST "/0000:3a:00.0/0000:3b:00.0" /* upstream port, below a root port */

static const struct distance_case {
	const char *name;
	const char *a;
	const char *b;
	int numa_a; /* -1: unknown */
	int numa_b;
	const char *want;
} distance_cases[] = {
	{"distance: two functions of one device", HOST "/0000:3a:00.0/0000:3b:00.0",
	 HOST "/0000:3a:00.0/0000:3b:00.1", 0, 0, "PIX"},
	{"distance: two ports of one switch", SWITCH "/0000:3c:00.0/0000:3d:00.0",
	 SWITCH "/0000:3c:04.0/0000:3e:00.0", 0, 0, "PIX"},
	{"distance: a switch behind a switch", SWITCH "/0000:3c:00.0/0000:3d:00.0",
	 SWITCH "/0000:3c:04.0/0000:3e:00.0/0000:3f:00.0/0000:40:00.0", 0, 0, "PXB"},
	{"distance: one bridge more on one side", SWITCH "/0000:3c:00.0/0000:3d:00.0",
	 SWITCH "/0000:3c:04.0/0000:3e:00.0/0000:3f:00.0", 0, 0, "PXB"},
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

/* ---- what stands in the way ---- */

static const struct obstacle_case {
	const char *name;
	const char *iommu[2];  /* of two devices; NULL: none */
	const char *gpu_iommu; /* NULL: no GPU */
	enum rdma_mode mode;
	bool moved; /* moved into the pod: no ports here */
	bool pod_network;
	bool denied;
	const char *codes;
	const char *message; /* in the first warning */
} obstacle_cases[] = {
	{"IOMMU: translates, and there is a GPU", .iommu = {"DMA-FQ"}, .gpu_iommu = "identity",
	 .codes = "iommu_translates", .message = "of 0000:00:00.0 (DMA-FQ): "},
	{"IOMMU: translates for the GPU", .iommu = {"identity"}, .gpu_iommu = "DMA",
	 .codes = "iommu_translates", .message = "of 0000:1b:00.0 (DMA): "},
	{"IOMMU: translates for all: one warning", .iommu = {"DMA", "DMA"}, .gpu_iommu = "DMA",
	 .codes = "iommu_translates",
	 .message = "of 0000:00:00.0 (DMA), 0000:01:00.0 (DMA), 0000:1b:00.0 (DMA): "},
	{"IOMMU: without a GPU there is no GPUDirect", .iommu = {"DMA-FQ"}, .codes = ""},
	{"IOMMU: passthrough", .iommu = {"identity"}, .gpu_iommu = "identity", .codes = ""},
	{"IOMMU: none", .iommu = {""}, .gpu_iommu = "", .codes = ""},

	{"namespace: exclusive, and still the node's", .mode = RDMA_MODE_EXCLUSIVE,
	 .pod_network = true, .codes = "rdma_netns", .message = "mlx5_0 is in the node's"},
	{"namespace: exclusive, and nothing is granted", .mode = RDMA_MODE_EXCLUSIVE,
	 .pod_network = true, .denied = true, .codes = ""},
	{"IOMMU: translates, and nothing is granted", .iommu = {"DMA"}, .gpu_iommu = "DMA",
	 .denied = true, .codes = ""},
	{"namespace: exclusive, and moved", .mode = RDMA_MODE_EXCLUSIVE, .moved = true,
	 .pod_network = true, .codes = ""},
	{"namespace: exclusive, and the container is in the node's too",
	 .mode = RDMA_MODE_EXCLUSIVE, .codes = ""},
	{"namespace: shared", .mode = RDMA_MODE_SHARED, .pod_network = true, .codes = ""},
	{"namespace: a mode that nobody knows", .pod_network = true, .codes = ""},
};

UNIT_ROWS(obstacle_cases)
{
	cleanup_container container = CONTAINER_NONE;
	struct port port = {.number = 1, .state = "ACTIVE", .link_layer = "Ethernet"};
	struct device device[2] = {0};
	struct gpu gpu = {.pci = "0000:1b:00.0"};

	container.spec.network_namespace = row->pod_network;
	container.plan.decision = row->denied ? DECISION_DENIED : DECISION_GRANT;
	container.devices.item = device;
	container.gpus = (struct gpus){.item = &gpu, .n = row->gpu_iommu ? 1 : 0};
	for (size_t i = 0; i < 2 && (i == 0 || row->iommu[i]); i++) {
		snprintf(device[i].ibdev, sizeof(device[i].ibdev), "mlx5_%zu", i);
		snprintf(device[i].pci, sizeof(device[i].pci), "0000:0%zu:00.0", i);
		device[i].port = &port;
		device[i].n_ports = row->moved ? 0 : 1;
		strcpy(device[i].place.iommu, row->iommu[i] ? row->iommu[i] : "");
		container.devices.n++;
	}
	if (row->gpu_iommu)
		strcpy(gpu.place.iommu, row->gpu_iommu);
	assert_int_equal(surroundings_warn(&container, row->mode), 0);
	assert_string_equal(unit_codes(&container.arena, &container.warnings), row->codes);
	if (row->message)
		assert_has(container.warnings.item[0].message, row->message);
}

/* ---- GPUs ---- */

/* Without its driver a GPU has minor -1, like a device of linux.devices without one. */
UNIT_TEST("GPU: one without a minor is nobody's")
{
	static const int64_t minors[] = {-1, 0, 3};
	cleanup_unit_dir dir = unit_dir_make();

	unit_write(dir.fd, "proc/driver/nvidia/gpus/0000:18:00.0/information", "Model: x\n", 0644);
	unit_write(dir.fd, "proc/driver/nvidia/gpus/0000:19:00.0/information",
		   "Model: x\nDevice Minor: \t 3\n", 0644);
	for (size_t i = 0; i < LENGTH(minors); i++) {
		struct spec_device device = {.path = "/dev/nvidia3",
					     .character = true,
					     .major = GPU_MAJOR,
					     .minor = minors[i]};
		const struct options options = {.sysroot = dir.path};
		cleanup_container container = CONTAINER_NONE;
		enum rdma_mode mode;
		struct err err;

		container.spec = (struct spec){.devices = &device, .n_devices = 1};
		assert_int_equal(container_explain(&container, &options, &mode, &err), 0);
		assert_int_equal(container.gpus.n, minors[i] == 3);
	}
}

int main(void)
{
	return unit_main("explain");
}
