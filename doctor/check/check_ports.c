/* SPDX-License-Identifier: Apache-2.0 */
/* check.h declares it. Ports, GIDs, interfaces, network namespace */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/node/network.h"
#include "doctor/check/check.h"
#include "doctor/target/netdevs.h"
#include "doctor/target/target.h"
#include "explain/topology.h"

/* Largest of 256 … 4096 that fits the interface's MTU with GRH 40, UDP 8, BTH 12, XRC 4, AtomicETH
 * 28, ICRC 4 (ib_addr.h, iboe_get_mtu) */
#define ROCE_HEADERS 96
#define ROCE_MTU 4096

struct context {
	const struct doctor *doctor;
	struct findings *findings;
	struct netdevs netdevs;
	enum rdma_mode mode;
};

/* On the node, physical functions may be unused. */
static enum finding_status severity(const struct context *context)
{
	return context->doctor->target.container ? FINDING_FAIL : FINDING_WARN;
}

static int add_netns_mode(const struct context *context)
{
	static const char where[] = "/sys/module/ib_core/parameters/netns_mode";

	if (context->mode == RDMA_MODE_UNKNOWN)
		return findings_add(context->findings, "rdma_netns_mode", NULL, FINDING_UNCHECKED,
				    NULL, "the kernel does not answer (%s)", where);
	return findings_add(context->findings, "rdma_netns_mode", NULL, FINDING_OK, NULL, "%s (%s)",
			    context->mode == RDMA_MODE_SHARED
				    ? "shared: every network namespace sees every RDMA device"
				    : "exclusive: an RDMA device is seen only in the network "
				      "namespace that it was moved to",
			    where);
}

/* A device without ports is in another network namespace: ib_core (device.c) tags only ports. */
static int add_hidden(const struct context *context, const struct device *device)
{
	const struct doctor *doctor = context->doctor;

	if (doctor->target.pid && (doctor->node.recorded || !doctor->target.netns))
		return findings_add(
			context->findings, "rdma_netns", device->ibdev, FINDING_UNCHECKED,
			"Run the doctor inside the container",
			"%s is in a network namespace that the doctor cannot enter from here",
			device->ibdev);
	return findings_add(
		context->findings, "rdma_netns", device->ibdev,
		doctor->target.container ? FINDING_FAIL : FINDING_OK,
		doctor->target.container
			? "Let the network plugin rdma-cni move the device (type \"rdma\" in the "
			  "chain of the network attachment), or set the node's mode to shared"
			: NULL,
		"%s has /dev/infiniband/%s, but no ports in this network namespace (%s): opening "
		"it fails with EPERM",
		device->ibdev, device->uverbs,
		context->mode == RDMA_MODE_EXCLUSIVE ? "mode exclusive" : "/sys/class/infiniband");
}

static void name_port(const struct device *device, const struct port *port, char *name, size_t size)
{
	if (device->n_ports > 1)
		snprintf(name, size, "%s port %u", device->ibdev, port->number);
	else
		snprintf(name, size, "%s", device->ibdev);
}

static int add_port(const struct context *context, const char *name, const struct port *port)
{
	bool roce = strcmp(port->link_layer, "Ethernet") == 0;

	if (port_is_active(port))
		return findings_add(context->findings, "port", name, FINDING_OK, NULL,
				    "ACTIVE, %g Gb/s %s (ports/%u/{state,rate,link_layer})",
				    port->rate_gbps, roce ? "Ethernet, so RoCE" : port->link_layer,
				    port->number);
	return findings_add(
		context->findings, "port", name, severity(context),
		strcmp(port->state, "DOWN") == 0
			? "Bring the link up: check the cable and the switch port, and run ip link "
			  "set DEV up"
			: "Check with ibstat whether an InfiniBand subnet manager is running",
		"%s, %s (ports/%u/{state,phys_state}): NCCL does not use this port",
		port->state[0] ? port->state : "state not known",
		port->phys_state[0] ? port->phys_state : "physical state not known", port->number);
}

static int add_port_values(const struct context *context, const struct port *port)
{
	return findings_add_values(context->findings, "state=%s rate_gbps=%g link_layer=%s",
				   port->state[0] ? port->state : "unknown", port->rate_gbps,
				   port->link_layer[0] ? port->link_layer : "unknown");
}

/* First routable non-IPv4 RoCE v2 entry; empty .text: none */
static struct gid find_ipv6(const struct context *context, const struct device *device,
			    unsigned port)
{
	cleanup_fd dir = port_open(&context->doctor->node, device, port);
	struct gid gid;

	for (int i = 0; dir >= 0 && i < GID_TABLE_MAX && gid_read(dir, i, &gid) == 0; i++) {
		if (!gid.empty && gid.v2 && !gid.link_local && !gid.ipv4)
			return gid;
	}
	return (struct gid){0};
}

static int add_gid(const struct context *context, const char *name, const struct device *device,
		   const struct port *port)
{
	struct gid other;

	if (strcmp(port->link_layer, "Ethernet") != 0 || !port_is_active(port))
		return 0;
	if (port->gid_index >= 0)
		return findings_add(context->findings, "gid", name, FINDING_OK, NULL,
				    "GID %d is %s, RoCE v2 (ports/%u/gids)", port->gid_index,
				    port->gid, port->number) < 0
			       ? -1
			       : findings_add_values(context->findings, "index=%d gid=%s",
						     port->gid_index, port->gid);
	other = find_ipv6(context, device, port->number);
	if (other.text[0])
		return findings_add(
			context->findings, "gid", name,
			context->doctor->target.container ? FINDING_WARN : FINDING_OK,
			"Set NCCL_IB_ADDR_FAMILY=AF_INET6, or give the interface an IPv4 address",
			"there is no RoCE v2 GID with an IPv4 address, but %s (ports/%u/gids)",
			other.text, port->number);
	return findings_add(context->findings, "gid", name,
			    context->doctor->target.container ? FINDING_FAIL : FINDING_OK,
			    context->doctor->target.container
				    ? "Give its network interface an IPv4 address (\"ipam\" of the "
				      "network attachment), and check it with ip addr show"
				    : NULL,
			    "there is no RoCE v2 GID with an IPv4 address (ports/%u/gids)%s",
			    port->number,
			    context->doctor->target.container
				    ? ": NCCL uses GID 0, which is RoCE v1 and link-local"
				    : "");
}

static int add_known_mtu(const struct context *context, const char *name, const char *netdev,
			 int mtu)
{
	if (mtu >= ROCE_MTU + ROCE_HEADERS)
		return findings_add(context->findings, "mtu", name, FINDING_OK, NULL, "%s has %d",
				    netdev, mtu);
	return findings_add(context->findings, "mtu", name, FINDING_WARN,
			    "Set the MTU to 9000 on the switch, the physical function and the "
			    "virtual function (\"mtu\" of the SR-IOV policy)",
			    "%s has MTU %d, so that RoCE packets have less than 4096 bytes, which "
			    "costs bandwidth",
			    netdev, mtu);
}

static int add_mtu(const struct context *context, const char *name, const struct device *device,
		   const struct port *port)
{
	char netdev[NETDEV_NAME_SIZE];
	const struct netdev *found;
	int mtu;

	if (strcmp(port->link_layer, "Ethernet") != 0 || !port_is_active(port))
		return 0;
	memcpy(netdev, device->netdev, sizeof(netdev));
	if (!netdev[0])
		gid_read_netdev(&context->doctor->node, device, port, netdev);
	found = netdevs_find(&context->netdevs, netdev);
	mtu = found ? found->mtu : 0;
	/* On the node, virtual functions' interfaces are in pods. */
	if (!mtu && !context->doctor->target.container)
		return 0;
	if (!mtu)
		return findings_add(context->findings, "mtu", name, FINDING_UNCHECKED, NULL,
				    "its interface %s%sis not seen here", netdev,
				    netdev[0] ? " " : "");
	return add_known_mtu(context, name, netdev, mtu) < 0
		       ? -1
		       : findings_add_values(context->findings, "mtu=%d", mtu);
}

static int add_ports(const struct context *context, const struct device *device)
{
	char name[96];

	if (!device->n_ports)
		return add_hidden(context, device);
	for (size_t i = 0; i < device->n_ports; i++) {
		const struct port *port = &device->port[i];

		name_port(device, port, name, sizeof(name));
		if (add_port(context, name, port) < 0 || add_port_values(context, port) < 0 ||
		    add_gid(context, name, device, port) < 0 ||
		    add_mtu(context, name, device, port) < 0)
			return -1;
	}
	return 0;
}

static int read_pod(const struct doctor *doctor, struct arena *arena, struct devices *devices,
		    struct err *err)
{
	const struct node node = target_node(&doctor->target);

	for (size_t i = 0; node.root >= 0 && i < devices->n; i++) {
		struct device *device = &devices->item[i];

		node_read_host_netdev(&node, arena, device);
		if (device->n_ports)
			continue;
		ports_read_all(&node, arena, device);
	}
	return err_of_arena(arena, err);
}

static int read_ports(const struct doctor *doctor, struct arena *arena, struct devices *ret,
		      struct err *err)
{
	struct devices devices = doctor_devices(doctor);

	for (size_t i = 0; i < devices.n; i++) {
		struct device *device = &devices.item[i];

		ports_read_all(&doctor->node, arena, device);
		if (!doctor->target.other_netns)
			node_read_host_netdev(&doctor->node, arena, device);
	}
	*ret = devices;
	return doctor->target.other_netns ? read_pod(doctor, arena, ret, err)
					  : err_of_arena(arena, err);
}

int check_ports(const struct doctor *doctor, struct findings *findings)
{
	struct context context = {.doctor = doctor, .findings = findings};
	struct devices devices = {0};

	if (!doctor->all.n && !doctor->files.n)
		return 0;
	context.mode = node_rdma_mode(&doctor->node);
	if (read_ports(doctor, findings->arena, &devices, &findings->err) < 0 ||
	    netdevs_read(findings->arena, &doctor->node, &doctor->target, &context.netdevs,
			 &findings->err) < 0)
		return -1;
	if (add_netns_mode(&context) < 0)
		return -1;
	for (size_t i = 0; i < devices.n; i++) {
		if (add_ports(&context, &devices.item[i]) < 0)
			return -1;
	}
	return 0;
}
