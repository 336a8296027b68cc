/* SPDX-License-Identifier: Apache-2.0 */
/* Address translation between GPU and HCA refuses transfers (IBV_WC_LOC_PROT_ERR, vendor error 81);
 * bridges may detour them. */
#include "doctor/check/check_iommu.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "doctor/check/check.h"
#include "lib/files.h"

/* At least eight bytes each */
#define CAPABILITIES_MAX ((ACS_CONFIG_SIZE - PCI_CFG_SPACE_SIZE) / 8)

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

enum acs_state acs_read(const uint8_t *config, size_t len, uint16_t *ret_control)
{
	size_t at = PCI_CFG_SPACE_SIZE;

	*ret_control = 0;
	if (len < PCI_CFG_SPACE_SIZE + 4)
		return ACS_UNREADABLE;
	for (int i = 0; i < CAPABILITIES_MAX; i++) {
		uint32_t header;

		if (at < PCI_CFG_SPACE_SIZE || at + 8 > len)
			return ACS_NONE;
		header = get16(config + at) | (uint32_t)get16(config + at + 2) << 16;
		if (PCI_EXT_CAP_ID(header) == PCI_EXT_CAP_ID_ACS) {
			*ret_control = get16(config + at + PCI_ACS_CTRL);
			return *ret_control & (PCI_ACS_RR | PCI_ACS_CR) ? ACS_REDIRECT : ACS_DIRECT;
		}
		at = PCI_EXT_CAP_NEXT(header);
	}
	return ACS_NONE;
}

#define CMDLINE_MAX 4096
#define BRIDGES_MAX 256

struct context {
	const struct doctor *doctor;
	struct findings *findings;
	struct devices devices;
	const char *arguments;
	bool active;
	const char *bridge[BRIDGES_MAX];
	size_t n_bridges;
	size_t redirecting;
	size_t unreadable;
};

static const char *read_arguments(const struct doctor *doctor, struct arena *arena)
{
	static const char *const begins[] = {
		"iommu=", "iommu.", "intel_iommu=", "amd_iommu=", "pci=", "arm-smmu"};
	const char *kept = "";
	struct fs_text text;
	char *rest = NULL;

	if (tree_read(arena, doctor->node.root, "proc/cmdline", CMDLINE_MAX, &text) < 0)
		return "";
	for (char *word = strtok_r(text.bytes, " \n", &rest); word && kept;
	     word = strtok_r(NULL, " \n", &rest)) {
		for (size_t i = 0; kept && i < sizeof(begins) / sizeof(begins[0]); i++) {
			if (text_starts_with(word, begins[i]))
				kept = arena_printf(arena, "%s%s%s", kept, kept[0] ? " " : "",
						    word);
		}
	}
	return kept;
}

static int add_translation(const struct context *context, const char *subject, const char *pci,
			   const struct pci_place *place)
{
	if (!place->iommu[0])
		return findings_add(context->findings, "iommu_group", subject,
				    context->active ? FINDING_UNCHECKED : FINDING_OK, NULL,
				    context->active
					    ? "no type (/sys/bus/pci/devices/%s/iommu_group/type)"
					    : "no IOMMU (/sys/bus/pci/devices/%s/iommu_group)",
				    pci);
	if (!pci_translates(place) || !context->doctor->gpus.n)
		return findings_add(context->findings, "iommu_group", subject, FINDING_OK, NULL,
				    "%s (/sys/bus/pci/devices/%s/iommu_group/type)%s", place->iommu,
				    pci,
				    pci_translates(place) ? ": translated, which is fine for host "
							    "memory, and there is no GPU"
							  : "");
	return findings_add(
		context->findings, "iommu_group", subject, FINDING_FAIL,
		"Set the kernel argument iommu=pt (Arm: iommu.passthrough=1) and reboot; on "
		"OpenShift use a MachineConfig with kernelArguments",
		"%s, translated (/sys/bus/pci/devices/%s/iommu_group/type): GPUDirect RDMA fails "
		"with IBV_WC_LOC_PROT_ERR (status 4, vendor error 81), although memory can be "
		"registered; the memlock limit does not matter here",
		place->iommu, pci);
}

static int check_translation(struct context *context)
{
	const struct gpus *gpus = &context->doctor->gpus;

	for (size_t i = 0; i < context->devices.n; i++) {
		const struct device *device = &context->devices.item[i];

		if (device->place.path &&
		    add_translation(context, device->ibdev, device->pci, &device->place) < 0)
			return -1;
	}
	for (size_t i = 0; i < gpus->n; i++) {
		char subject[32];

		snprintf(subject, sizeof(subject), "GPU %s", gpus->item[i].pci);
		if (add_translation(context, subject, gpus->item[i].pci, &gpus->item[i].place) < 0)
			return -1;
	}
	return findings_add(context->findings, "iommu_arguments", NULL, FINDING_OK, NULL,
			    "%s (/proc/cmdline); the group types above show what is in effect",
			    context->arguments[0] ? context->arguments : "none about the IOMMU");
}

/* Path length of the last common bridge; 0 if only a root bus is ("sys/devices/pci0000:3a") */
static size_t common_bridge(struct arena *arena, const char *a, const char *b)
{
	size_t end = 0;
	char *path;

	for (size_t i = 0; a[i] && a[i] == b[i]; i++) {
		if (a[i] == '/')
			end = i;
	}
	path = arena_strndup(arena, a, end);
	return path && text_is_pci_address(text_base_name(path)) ? end : 0;
}

static bool is_new(struct context *context, const char *path)
{
	for (size_t i = 0; i < context->n_bridges; i++) {
		if (strcmp(context->bridge[i], path) == 0)
			return false;
	}
	if (context->n_bridges == BRIDGES_MAX)
		return false;
	context->bridge[context->n_bridges++] = path;
	return true;
}

static int look_at_bridge(struct context *context, const char *path)
{
	uint8_t config[ACS_CONFIG_SIZE];
	enum acs_state state;
	uint16_t control;
	char name[1200];
	cleanup_fd fd = -1;
	ssize_t n;

	snprintf(name, sizeof(name), "%s/config", path);
	fd = fs_open(context->doctor->node.root, name, O_RDONLY, RESOLVE_IN_ROOT);
	do
		n = fd < 0 ? 0 : read(fd, config, sizeof(config));
	while (n < 0 && errno == EINTR);
	state = acs_read(config, n > 0 ? (size_t)n : 0, &control);
	context->unreadable += state == ACS_UNREADABLE;
	context->redirecting += state == ACS_REDIRECT;
	if (state != ACS_REDIRECT)
		return 0;
	return findings_add(
		context->findings, "acs", text_base_name(path), FINDING_WARN,
		"On bare metal, run setpci -s BRIDGE ECAP_ACS+0x6.w=0000 at each boot, or switch "
		"ACS off in the firmware; in a VM, leave ACS on and use ATS",
		"ACS control %04x (/%s/config): the bridge redirects peer-to-peer requests to the "
		"root complex, which costs bandwidth",
		control, path);
}

static int look_up(struct context *context, const char *path, size_t common)
{
	char *at = arena_strdup(context->findings->arena, path);
	char *slash;

	while (at && (slash = strrchr(at, '/')) && (size_t)(slash - at) > common) {
		*slash = '\0';
		at = arena_strdup(context->findings->arena, at);
		if (at && text_is_pci_address(text_base_name(at)) && is_new(context, at) &&
		    look_at_bridge(context, at) < 0)
			return -1;
	}
	return at ? 0 : -1;
}

static int check_bridges(struct context *context)
{
	const struct gpus *gpus = &context->doctor->gpus;
	struct arena *arena = context->findings->arena;

	for (size_t g = 0; g < gpus->n; g++) {
		for (size_t i = 0; i < context->devices.n; i++) {
			const char *hca = context->devices.item[i].place.path;
			const char *gpu = gpus->item[g].place.path;
			size_t common = gpu && hca ? common_bridge(arena, gpu, hca) : 0;

			if (common && (look_up(context, gpu, common) < 0 ||
				       look_up(context, hca, common) < 0))
				return -1;
		}
	}
	if (context->unreadable)
		return findings_add(context->findings, "acs", NULL, FINDING_UNCHECKED,
				    "Run the doctor as root on the node",
				    "%zu of %zu bridges between GPUs and HCAs do not show their "
				    "whole configuration space to this user",
				    context->unreadable, context->n_bridges);
	if (!gpus->n || context->redirecting)
		return 0;
	return findings_add(context->findings, "acs", NULL, FINDING_OK, NULL,
			    "%zu bridge%s between GPUs and HCAs of one switch, none redirects "
			    "(/sys/bus/pci/devices/*/config)",
			    context->n_bridges, context->n_bridges == 1 ? "" : "s");
}

int check_iommu(const struct doctor *doctor, struct findings *findings)
{
	struct context context = {.doctor = doctor, .findings = findings};
	int root = doctor->node.root;
	const char **names;

	context.devices = doctor_devices(doctor);
	if (!context.devices.n && !doctor->gpus.n)
		return 0;
	for (size_t i = 0; i < context.devices.n; i++)
		pci_read_iommu(&doctor->node, &context.devices.item[i].place);
	context.arguments = read_arguments(doctor, findings->arena);
	context.active =
		tree_list(findings->arena, root, "sys/class/iommu", "", &names) > 0 ||
		tree_list(findings->arena, root, "sys/kernel/iommu_groups", "", &names) > 0;
	return !context.arguments || check_translation(&context) < 0 || check_bridges(&context) < 0
		       ? -1
		       : 0;
}
