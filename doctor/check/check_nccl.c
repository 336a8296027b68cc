/* SPDX-License-Identifier: Apache-2.0 */
/* check.h declares it. What NCCL's variables select, and what was meant */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/node/network.h"
#include "doctor/check/check.h"
#include "doctor/check/nccl_hca.h"
#include "doctor/nccl/nccl_list.h"
#include "doctor/nccl/nccl_settings.h"
#include "doctor/target/netdevs.h"

static int check_disable(const struct nccl_context *context)
{
	const struct nccl_setting *disable =
		nccl_settings_find(&context->settings, "NCCL_IB_DISABLE");
	const struct nccl_setting *net = nccl_settings_find(&context->settings, "NCCL_NET");

	if (disable && strtol(disable->value, NULL, 0) != 0)
		return findings_add(context->findings, "nccl_ib_disable", NULL, FINDING_FAIL,
				    "Remove the variable: it makes NCCL use TCP",
				    "NCCL_IB_DISABLE=%s (%s)", disable->value, disable->path);
	/* NCCL ignores case here (src/plugin/net.cc). */
	if (net && strcasecmp(net->value, "Socket") == 0)
		return findings_add(context->findings, "nccl_net", NULL, FINDING_FAIL,
				    "Remove the variable: it makes NCCL use TCP",
				    "NCCL_NET=%s (%s)", net->value, net->path);
	if (disable)
		return findings_add(context->findings, "nccl_ib_disable", NULL, FINDING_OK, NULL,
				    "NCCL_IB_DISABLE=%s (%s), which is the default", disable->value,
				    disable->path);
	return 0;
}

static const char *find_first(const struct nccl_context *context, const struct nccl_list *list)
{
	for (size_t i = 0; i < context->netdevs.n; i++) {
		if (nccl_list_selects(list, context->netdevs.item[i].name, -1))
			return context->netdevs.item[i].name;
	}
	return NULL;
}

/* "net10" if the list has "net1" and both exist, else NULL */
static const char *find_netdev_beside(const struct nccl_context *context,
				      const struct nccl_list *list, const char **ret_item)
{
	for (size_t i = 0; i < list->n && !list->exact; i++) {
		const char *name = list->item[i].name;

		for (size_t k = 0; k < context->netdevs.n; k++) {
			const char *other = context->netdevs.item[k].name;

			*ret_item = name;
			if (strcmp(other, name) != 0 && netdevs_find(&context->netdevs, name) &&
			    nccl_item_matches(list, &list->item[i], other, -1) &&
			    !nccl_list_names(list, other))
				return other;
		}
	}
	return NULL;
}

static const struct device *device_of_netdev(const struct nccl_context *context, const char *name)
{
	for (size_t i = 0; i < context->devices.n; i++) {
		if (strcmp(context->devices.item[i].netdev, name) == 0)
			return &context->devices.item[i];
	}
	return NULL;
}

static const char socket_id[] = "nccl_socket_ifname";

static int check_first(const struct nccl_context *context, const struct nccl_setting *setting,
		       const char *first)
{
	if (strcmp(first, "lo") == 0)
		return findings_add(context->findings, socket_id, NULL, FINDING_WARN,
				    "Remove the variable, or name the pod's own interface: =eth0",
				    "NCCL_SOCKET_IFNAME=%s (%s) selects lo, over which no other "
				    "pod can be reached; only a job inside this pod works",
				    setting->value, setting->path);
	if (device_of_netdev(context, first) && netdevs_find(&context->netdevs, "eth0"))
		return findings_add(context->findings, socket_id, NULL, FINDING_WARN,
				    "Remove the variable, or name the pod's own interface: =eth0",
				    "NCCL_SOCKET_IFNAME=%s (%s): NCCL's bootstrap uses %s, the "
				    "interface of %s; if this link goes down, every job stops",
				    setting->value, setting->path, first,
				    device_of_netdev(context, first)->ibdev);
	return findings_add(context->findings, socket_id, NULL, FINDING_OK, NULL,
			    "NCCL_SOCKET_IFNAME=%s (%s) selects %s", setting->value, setting->path,
			    first);
}

static int check_socket(const struct nccl_context *context)
{
	const struct nccl_setting *setting =
		nccl_settings_find(&context->settings, "NCCL_SOCKET_IFNAME");
	struct nccl_list list;
	const char *first;
	const char *item;
	const char *beside;

	if (!setting)
		return 0;
	nccl_list_parse(setting->value, &list);
	if (!context->netdevs.path)
		return findings_add(context->findings, socket_id, NULL, FINDING_UNCHECKED, NULL,
				    "NCCL_SOCKET_IFNAME=%s (%s): the interfaces cannot be read",
				    setting->value, setting->path);
	first = find_first(context, &list);
	if (!first)
		return findings_add(context->findings, socket_id, NULL, FINDING_FAIL,
				    "Remove the variable, or name the pod's own interface: =eth0",
				    "NCCL_SOCKET_IFNAME=%s (%s) matches no interface of %s: NCCL "
				    "fails with \"no socket interface found\"",
				    setting->value, setting->path, context->netdevs.path);
	beside = list.exclude ? NULL : find_netdev_beside(context, &list, &item);
	if (beside)
		return findings_add(context->findings, socket_id, NULL, FINDING_WARN,
				    arena_printf(context->findings->arena,
						 "Write whole names: NCCL_SOCKET_IFNAME==%s",
						 setting->value),
				    "NCCL_SOCKET_IFNAME=%s (%s): \"%s\" also selects %s, because "
				    "without '=' NCCL compares only the beginning of a name",
				    setting->value, setting->path, item, beside);
	return check_first(context, setting, first);
}

static int check_nccl_files(const struct nccl_context *context)
{
	const struct nccl_settings *settings = &context->settings;

	for (size_t i = 0; i < settings->n_oddities; i++) {
		const struct nccl_oddity *oddity = &settings->oddity[i];

		if (findings_add(context->findings, "nccl_conf", oddity->path, FINDING_WARN,
				 "Write NAME=value without spaces and quotes", "\"%s\": %s",
				 oddity->line, oddity->why) < 0)
			return -1;
	}
	return findings_add(context->findings, "nccl_conf", NULL, FINDING_OK, NULL,
			    "files read: %s%s%s", context->doctor->target.env_path,
			    settings->files[0] ? ", " : "", settings->files);
}

int check_nccl(const struct doctor *doctor, struct findings *findings)
{
	struct nccl_context context = {.doctor = doctor, .findings = findings};

	if (!doctor->target.env_path)
		return findings_add(findings, "nccl", NULL, FINDING_UNCHECKED,
				    "Run the doctor as root on the node, or inside the container",
				    "the environment of %s cannot be read", doctor->target.name) < 0
			       ? err_memory(&findings->err)
			       : 0;
	context.devices = doctor_devices(doctor);
	for (size_t i = 0; i < context.devices.n; i++) {
		struct device *device = &context.devices.item[i];

		node_read_ports(&doctor->node, findings->arena, device);
		node_read_gids(&doctor->node, device);
		nccl_name_interface(doctor, device);
	}
	if (nccl_settings_read(findings->arena, &doctor->target, &context.settings,
			       &findings->err) < 0 ||
	    netdevs_read(findings->arena, &doctor->node, &doctor->target, &context.netdevs,
			 &findings->err) < 0)
		return -1;
	return check_disable(&context) < 0 || nccl_check_hca(&context) < 0 ||
			       nccl_check_gid_index(&context) < 0 || check_socket(&context) < 0 ||
			       check_nccl_files(&context) < 0
		       ? -1
		       : 0;
}
