/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/plan_text.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/container/container.h"
#include "core/node/node.h"
#include "core/plan/plan.h"
#include "core/policy/policy.h"
#include "core/record/record.h"
#include "explain/entry_points.h"
#include "explain/topology.h"

static const char *dash_if_empty(const char *text)
{
	return text && text[0] ? text : "-";
}

static void print_record(FILE *out, const struct container *container)
{
	const struct record *record = container->record;
	char time[CLOCK_UTC_SIZE];

	if (record) {
		clock_utc(record->time, time);
		fprintf(out, "noted      %s at %s by %s, policy %s: %s\n",
			record_result_names[record->result], dash_if_empty(time),
			dash_if_empty(record->entry_point), dash_if_empty(record->policy),
			dash_if_empty(record->reason));
	}
	if (container->doubt)
		fprintf(out, "not known  %s\n", container->doubt);
}

static void print_identity(FILE *out, const struct container *container)
{
	const struct identity *identity = &container->spec.identity;

	fprintf(out, "container  %s", identity->name ? identity->name : "(no name)");
	if (identity->pod || identity->pod_namespace)
		fprintf(out, "  pod %s/%s", dash_if_empty(identity->pod_namespace),
			dash_if_empty(identity->pod));
	if (container->id)
		fprintf(out, "  id %.12s", container->id);
	fprintf(out, "\ndecision   %s: %s\n", decision_names[container->plan.decision],
		container->plan.reason);
	print_record(out, container);
}

static void print_numa(char *numa, size_t size, const struct pci_place *place)
{
	if (place->has_numa_node)
		snprintf(numa, size, "%d", place->numa_node);
	else
		snprintf(numa, size, "-");
}

/* udev's names are longer than the kernel's: rocep59s0f0v6. */
struct widths {
	int ibdev;
	int netdev;
};

static int wider(int width, const char *text)
{
	int len = (int)strlen(text);

	return len > width ? len : width;
}

#define DEVICE_ROW "  %-*s %-13s %-13s %-*s %-7s %-15s %4s  %-9s %s\n"

static void print_device(FILE *out, const struct device *device, const struct widths *widths)
{
	static const char *const sources[] = {
		[SOURCE_SRIOV] = "PCIDEVICE_*",
		[SOURCE_DRA] = "SRIOVNETWORK_*",
		[SOURCE_DEVICE] = "linux.devices",
	};
	const struct port *port = device->n_ports ? &device->port[0] : NULL;
	char link[40] = "-";
	char numa[16];
	const char *pf = device->kind == DEVICE_VF || device->kind == DEVICE_SF ? device->pf : "";

	if (port && port->link_layer[0] && port->rate_gbps > 0)
		snprintf(link, sizeof(link), "%s %gG", port->link_layer, port->rate_gbps);
	else if (port && port->link_layer[0])
		snprintf(link, sizeof(link), "%s", port->link_layer);
	print_numa(numa, sizeof(numa), &device->place);
	fprintf(out, DEVICE_ROW, widths->ibdev, device->ibdev, dash_if_empty(device->pci),
		dash_if_empty(pf), widths->netdev, dash_if_empty(device->netdev),
		port ? dash_if_empty(port->state) : "-", link, numa,
		dash_if_empty(device->place.iommu), sources[device->source]);
	for (size_t i = 1; i < device->n_ports; i++)
		fprintf(out, "    port %u: %s, %s\n", device->port[i].number,
			dash_if_empty(device->port[i].state),
			dash_if_empty(device->port[i].link_layer));
}

static void print_gids(FILE *out, const struct device *device)
{
	for (size_t i = 0; i < device->n_ports; i++) {
		const struct port *port = &device->port[i];

		if (port->gid_index >= 0)
			fprintf(out, "  %s port %u: GID %d is %s (RoCE v2)\n", device->ibdev,
				port->number, port->gid_index, port->gid);
	}
}

static void print_devices(FILE *out, const struct container *container, enum rdma_mode mode)
{
	const struct devices *devices = &container->devices;
	struct widths widths = {.ibdev = 10, .netdev = 9};

	for (size_t i = 0; i < devices->n_vfio; i++)
		fprintf(out, "%s/dev/%s",
			i ? ", " : "\nvfio, for the limit alone: ", devices->vfio[i]);
	if (devices->n_vfio)
		fputc('\n', out);
	if (!devices->n)
		return;
	for (size_t i = 0; i < devices->n; i++) {
		widths.ibdev = wider(widths.ibdev, devices->item[i].ibdev);
		widths.netdev = wider(widths.netdev, devices->item[i].netdev);
	}
	fprintf(out, "\ndevices%s\n" DEVICE_ROW,
		mode == RDMA_MODE_EXCLUSIVE ? " (exclusive to their network namespace)" : "",
		widths.ibdev, "IBDEV", "PCI", "PF", widths.netdev, "NETDEV", "PORT", "LINK", "NUMA",
		"IOMMU", "NAMED BY");
	for (size_t i = 0; i < devices->n; i++)
		print_device(out, &devices->item[i], &widths);
	for (size_t i = 0; i < devices->n; i++)
		print_gids(out, &devices->item[i]);
}

static void print_gpu(FILE *out, const struct gpu *gpu, const struct devices *devices)
{
	char numa[16];

	print_numa(numa, sizeof(numa), &gpu->place);
	fprintf(out, "  %-13s %4s  %-8s", gpu->pci, numa, dash_if_empty(gpu->place.iommu));
	for (size_t i = 0; i < devices->n; i++) {
		const struct device *device = &devices->item[i];
		enum pci_distance distance = pci_distance(&gpu->place, &device->place);

		fprintf(out, "  %*s", (int)strlen(device->ibdev),
			dash_if_empty(pci_distance_name(distance)));
	}
	fputc('\n', out);
}

/* Like `nvidia-smi topo -m` */
static void print_gpus(FILE *out, const struct gpus *gpus, const struct devices *devices)
{
	if (!gpus->n)
		return;
	fputs("\ngpus\n  PCI           NUMA  IOMMU   ", out);
	for (size_t i = 0; i < devices->n; i++)
		fprintf(out, "  %s", devices->item[i].ibdev);
	fputc('\n', out);
	for (size_t i = 0; i < gpus->n; i++)
		print_gpu(out, &gpus->item[i], devices);
}

static void print_item(FILE *out, const char *item, const char *through)
{
	if (strlen(item) > 48)
		fprintf(out, "  %s\n  %-48s %s\n", item, "", through);
	else
		fprintf(out, "  %-48s %s\n", item, through);
}

#define EVERY_WAY (WAY_HOOK | WAY_PRECREATE | WAY_SHIM | WAY_NRI)

struct via {
	char text[160];
};

/* As "hook: main process; shim: exec too" */
static struct via via(unsigned ways, unsigned one, const char *by_one, unsigned other,
		      const char *by_other)
{
	struct ways_names names = ways_names(ways & one);
	struct ways_names others = ways_names(ways & other);
	struct via result;

	if (!(ways & (one | other)))
		snprintf(result.text, sizeof(result.text),
			 "nothing that is installed on this node gives it; %s would",
			 ways_names(one | other).text);
	else
		snprintf(result.text, sizeof(result.text), "%s%s%s%s%s", names.text,
			 names.text[0] ? by_one : "", names.text[0] && others.text[0] ? "; " : "",
			 others.text, others.text[0] ? by_other : "");
	return result;
}

static struct via via_spec(unsigned ways, unsigned all, const char *what)
{
	return via(ways, all, what, 0, "");
}

static void print_memlock(FILE *out, const struct plan *plan, unsigned ways)
{
	struct via how = via(ways, WAY_HOOK | WAY_PRECREATE, ": main process", WAY_SHIM | WAY_NRI,
			     ": exec too");
	char item[64];

	if (!plan->memlock)
		return;
	if (plan->memlock == MEMLOCK_UNLIMITED)
		snprintf(item, sizeof(item), "RLIMIT_MEMLOCK unlimited");
	else
		snprintf(item, sizeof(item), "RLIMIT_MEMLOCK %" PRIu64 " bytes", plan->memlock);
	print_item(out, item, plan->adds_rlimit ? how.text : "config.json has it already");
}

/* Hooks run too late; NRI has no field for them. */
static int print_capabilities(FILE *out, struct container *container, unsigned ways)
{
	struct via how = via_spec(ways, WAY_SHIM | WAY_PRECREATE, "");
	const char *const *names =
		capability_names(&container->arena, container->plan.capabilities);

	if (!names)
		return -1;
	for (; *names; names++)
		print_item(out, *names, how.text);
	return 0;
}

#define WAYS_OF_ENV (WAY_SHIM | WAY_PRECREATE | WAY_NRI)

static struct via via_new(const struct plan *plan, const struct setting *setting, unsigned ways)
{
	if (setting->scope == SCOPE_ENV)
		return via_spec(ways, WAYS_OF_ENV, ": env");
	if (plan->nccl_conf_mounted)
		return via_spec(ways, WAYS_OF_ENV, "; a mount covers nccl.conf");
	return via(ways, WAY_HOOK, ": /etc/nccl.conf", WAYS_OF_ENV, ": env");
}

static void print_settings(FILE *out, const struct plan *plan, unsigned ways)
{
	static const char *const there[] = {
		[SETTING_PRESENT] = "the environment has it already",
		[SETTING_KEPT] = "the environment sets another value, which is kept",
	};

	for (size_t i = 0; i < plan->n_settings; i++) {
		const struct setting *setting = &plan->settings[i];
		struct via how = via_new(plan, setting, ways);
		char item[1200];

		snprintf(item, sizeof(item), "%s=%s", setting->name, setting->value);
		print_item(out, item,
			   setting->state == SETTING_NEW ? how.text : there[setting->state]);
	}
}

static int print_grant(FILE *out, struct container *container, unsigned installed)
{
	const struct plan *plan = &container->plan;
	unsigned ways = installed ? installed : EVERY_WAY;

	if (!plan_gives(plan))
		return 0;
	fputs("\nwhat it gets, and through what\n", out);
	print_memlock(out, plan, ways);
	if (print_capabilities(out, container, ways) < 0)
		return -1;
	print_settings(out, plan, ways);
	if (plan->seccomp)
		print_item(out, "one more rule in linux.seccomp",
			   via_spec(ways, WAY_SHIM | WAY_PRECREATE, "").text);
	if (!installed)
		fputs("  None of these is installed on this node.\n", out);
	return 0;
}

static void print_warnings(FILE *out, const struct warnings *warnings)
{
	if (!warnings->n)
		return;
	fputs("\nwarnings\n", out);
	for (size_t i = 0; i < warnings->n; i++)
		fprintf(out, "  %s: %s\n", warnings->item[i].code, warnings->item[i].message);
}

int report_text(FILE *out, struct container *container, enum rdma_mode mode, unsigned ways)
{
	print_identity(out, container);
	print_devices(out, container, mode);
	print_gpus(out, &container->gpus, &container->devices);
	if (print_grant(out, container, ways) < 0)
		return -1;
	print_warnings(out, &container->warnings);
	return ferror(out) ? -1 : 0;
}
