/* SPDX-License-Identifier: Apache-2.0 */
/* check.h declares it. Can HCAs reach GPU memory, by DMA-BUF or nvidia_peermem? */
#include <string.h>

#include "core/base/fs.h"
#include "doctor/check/check.h"
#include "doctor/cuda/cuda.h"
#include "lib/files.h"

#define VERSION_MAX 4096

/* Like NCCL (src/transport/net_ib, ncclIbGdrSupport) */
static const char *find_peermem(const struct doctor *doctor, struct arena *arena)
{
	static const char *const modules[] = {"sys/module/nvidia_peermem",
					      "sys/module/nv_peer_mem"};
	const char **names;

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		if (tree_exists(doctor->node.root, modules[i]))
			return modules[i];
	}
	if (tree_list(arena, doctor->node.root, "sys/kernel/mm/memory_peers", "", &names) > 0)
		return "sys/kernel/mm/memory_peers";
	return NULL;
}

static bool is_open_module(const struct doctor *doctor, struct arena *arena)
{
	struct fs_text text;

	return tree_read(arena, doctor->node.root, "proc/driver/nvidia/version", VERSION_MAX,
			 &text) == 0 &&
	       strstr(text.bytes, "Open Kernel Module") != NULL;
}

static int add_driver(const struct doctor *doctor, struct findings *findings, const char *version,
		      const char *peermem)
{
	static const char id[] = "gpudirect";

	if (is_open_module(doctor, findings->arena))
		return findings_add(
			findings, id, NULL, FINDING_OK, NULL,
			"DMA-BUF: driver %s, open kernel modules (/proc/driver/nvidia/version)%s%s",
			version, peermem ? "; also /" : "", peermem ? peermem : "");
	if (peermem)
		return findings_add(findings, id, NULL, FINDING_OK, NULL, "peermem: driver %s, /%s",
				    version, peermem);
	return findings_add(
		findings, id, NULL, FINDING_WARN,
		"Run modprobe nvidia_peermem, or use the open kernel modules (GPU operator: "
		"driver.kernelModuleType=open)",
		"driver %s without open kernel modules (/proc/driver/nvidia/version), and "
		"nvidia_peermem is not loaded (/sys/module): NCCL copies through host memory",
		version);
}

int check_gpudirect(const struct doctor *doctor, struct findings *findings)
{
	static const char id[] = "gpudirect";
	char version[64];
	const char *peermem;

	if (!doctor->gpus.n)
		return 0;
	peermem = find_peermem(doctor, findings->arena);
	if (tree_read_line(doctor->node.root, "sys/module/nvidia/version", version,
			   sizeof(version)) < 0)
		return findings_add(findings, id, NULL, FINDING_UNCHECKED,
				    "Check with nvidia-smi whether the driver is loaded",
				    "%zu GPU%s, but no NVIDIA driver (/sys/module/nvidia/version)",
				    doctor->gpus.n, doctor->gpus.n == 1 ? "" : "s");
	return add_driver(doctor, findings, version, peermem) < 0
		       ? -1
		       : findings_add_values(findings, "driver=%s way=%s", version,
					     is_open_module(doctor, findings->arena) ? "dma-buf"
					     : peermem                               ? "peermem"
										     : "none");
}

#define NAMED_MAX 64

/* Names of `nvidia-smi topo -m`; no NVLink */
static int add_distances(const struct devices *devices, const struct gpu *gpu,
			 struct findings *findings)
{
	const char *text = gpu->place.has_numa_node ? arena_printf(findings->arena, "NUMA node %d",
								   gpu->place.numa_node)
						    : "no NUMA node";
	enum pci_distance nearest = PCI_UNKNOWN;

	for (size_t i = 0; text && i < devices->n && i < NAMED_MAX; i++) {
		enum pci_distance distance = pci_distance(&gpu->place, &devices->item[i].place);
		const char *name = pci_distance_name(distance);

		if (distance && (!nearest || distance < nearest))
			nearest = distance;
		if (name[0])
			text = arena_printf(findings->arena, "%s, %s %s", text,
					    devices->item[i].ibdev, name);
	}
	if (text && devices->n > NAMED_MAX)
		text = arena_printf(findings->arena, "%s and %zu more", text,
				    devices->n - NAMED_MAX);
	if (!text || findings_add(findings, "distance", gpu->pci, FINDING_OK, NULL,
				  "%s (/sys/bus/pci/devices)", text) < 0)
		return -1;
	return nearest ? findings_add_values(findings, "nearest=%s", pci_distance_name(nearest))
		       : 0;
}

int check_distance(const struct doctor *doctor, struct findings *findings)
{
	const struct devices devices = doctor_devices(doctor);
	bool has_numa = false;

	for (size_t i = 0; i < devices.n; i++)
		pci_read_place(&doctor->node, &devices.item[i].place);
	for (size_t i = 0; i < doctor->gpus.n; i++) {
		has_numa |= doctor->gpus.item[i].place.has_numa_node;
		if (add_distances(&devices, &doctor->gpus.item[i], findings) < 0)
			return -1;
	}
	if (has_numa || !doctor->options.topology)
		return 0;
	return findings_add(findings, "distance", NULL, FINDING_UNCHECKED, NULL,
			    doctor->gpus.n ? "no GPU has a NUMA node: a virtual machine shows its "
					     "own PCI tree, not that of the host; NCCL goes by it, "
					     "unless NCCL_TOPO_FILE describes the host"
					   : "there is no GPU");
}

/* libcuda shows only this process's GPUs. */

int check_cuda(const struct doctor *doctor, struct findings *findings)
{
	if (!doctor->node.recorded && !doctor->options.pid && !doctor->options.container)
		return cuda_check(findings, doctor->options.libcuda);
	return findings_add(findings, "cuda_library", NULL, FINDING_UNCHECKED, NULL,
			    "the CUDA driver can be asked only in the container that uses it: run "
			    "the doctor there");
}
