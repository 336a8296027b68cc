/* SPDX-License-Identifier: Apache-2.0 */
#include "suite.h"

#include "explain/topology.h"

#define GPUS "proc/driver/nvidia/gpus/"
#define BUS "sys/bus/pci/devices/"

struct gpu_case {
	const char *name;
	struct entry entries[ENTRIES_MAX];
	const char *of_driver; /* "address=minor …" */
	const char *all;
};

static const struct gpu_case gpu_cases[] = {
	{"no driver, no bus", LIST({0}), "", ""},
	{"the driver's, in order",
	 LIST({GPUS "0000:9b:00.0/information", "Model: \t H100\nDevice Minor: \t 3\nIRQ: 1\n"},
	      {GPUS "0000:18:00.0/information", "Model: \t H100\nDevice Minor: \t 0\n"}),
	 "0000:18:00.0=0 0000:9b:00.0=3 ", "0000:18:00.0=0 0000:9b:00.0=3 "},
	{"one without information", LIST({GPUS "0000:18:00.0", NULL}), "0000:18:00.0=-1 ",
	 "0000:18:00.0=-1 "},
	{"one without a minor", LIST({GPUS "0000:18:00.0/information", "Model: \t H100\n"}),
	 "0000:18:00.0=-1 ", "0000:18:00.0=-1 "},
	{"a minor that is no number",
	 LIST({GPUS "0000:18:00.0/information", "Model: x\nDevice Minor: \t N/A\n"},
	      {GPUS "0000:19:00.0/information", "Model: x\nDevice Minor: \t -1\n"}),
	 "0000:18:00.0=-1 0000:19:00.0=-1 ", "0000:18:00.0=-1 0000:19:00.0=-1 "},
	{"what is no address", LIST({GPUS "all/information", "Device Minor: \t 0\n"}), "", ""},
	{"the driver is not loaded: the bus, by class and vendor",
	 LIST({BUS "0000:18:00.0/class", "0x030200\n"}, {BUS "0000:18:00.0/vendor", "0x10de\n"},
	      {BUS "0000:19:00.0/class", "0x030000\n"}, {BUS "0000:19:00.0/vendor", "0x10de\n"},
	      {BUS "0000:1a:00.0/class", "0x030000\n"}, {BUS "0000:1a:00.0/vendor", "0x1a03\n"},
	      {BUS "0000:1b:00.0/class", "0x020000\n"}, {BUS "0000:1b:00.0/vendor", "0x10de\n"},
	      {BUS "0000:1c:00.0/class", "0x030000\n"}, {BUS "0000:1d:00.0/vendor", "0x10de\n"},
	      {BUS "x/class", "0x030000\n"}),
	 "", "0000:18:00.0=-1 0000:19:00.0=-1 "},
};

static const char *gpus_text(struct arena *arena, const struct gpus *gpus)
{
	const char *all = "";

	for (size_t i = 0; i < gpus->n; i++)
		all = arena_printf(arena, "%s%s=%d ", all, gpus->item[i].pci,
				   (int)gpus->item[i].minor);
	return all;
}

UNIT_ROWS_AS("GPU: ", gpu_cases)
{
	WITH_DIR(dir);
	cleanup_node node = NODE_NONE;
	struct gpus gpus = {0};
	struct gpus all = {0};

	make_all(dir.fd, row->entries, ENTRIES_MAX);
	node = open_node(&dir);
	(void)gpu_list_driver(&node, &arena, &gpus);
	assert_string_equal(gpus_text(&arena, &gpus), row->of_driver);
	gpu_list(&node, &arena, &all);
	assert_string_equal(gpus_text(&arena, &all), row->all);
}

struct place_case {
	const char *name;
	struct entry odd[ENTRIES_MAX];
	int numa_node; /* -1: not known */
	const char *iommu;
};

static const struct place_case place_cases[] = {
	{"nothing is said", LIST({0}), -1, ""},
	{"all is said",
	 LIST({FUNCTION "/numa_node", "1\n"},
	      {FUNCTION "/iommu_group", "> ../../../../kernel/iommu_groups/57"},
	      {"sys/kernel/iommu_groups/57/type", "DMA-FQ\n"}),
	 1, "DMA-FQ"},
	{"the firmware does not say", LIST({FUNCTION "/numa_node", "-1\n"}), -1, ""},
	{"an empty node", LIST({FUNCTION "/numa_node", "\n"}), -1, ""},
	{"a group without a type",
	 LIST({FUNCTION "/iommu_group", "> ../../../../kernel/iommu_groups/57"}), -1, ""},
	{"a type that is longer than any",
	 LIST({FUNCTION "/iommu_group", "> ../../../../kernel/iommu_groups/57"},
	      {"sys/kernel/iommu_groups/57/type", "DMA-DMA-DMA-DMA-DMA\n"}),
	 -1, ""},
};

UNIT_ROWS_AS("place: ", place_cases)
{
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_node node = usual_node(&dir, row->odd);
	struct pci_place place = {.path = FUNCTION};
	struct pci_place none = {0};

	pci_read_place(&node, &place);
	pci_read_iommu(&node, &place);
	assert_int_equal(place.has_numa_node, row->numa_node >= 0);
	assert_int_equal(place.has_numa_node ? place.numa_node : -1, row->numa_node);
	assert_string_equal(place.iommu, row->iommu);
	pci_read_place(&node, &none);
	assert_false(none.has_numa_node);
}
