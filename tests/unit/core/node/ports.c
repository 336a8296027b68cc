/* SPDX-License-Identifier: Apache-2.0 */
#include "suite.h"

#include "core/node/network.h"
#include "explain/topology.h"

struct port_case {
	const char *name;
	struct entry odd[ENTRIES_MAX];
	const char *ports; /* each "number link_layer state phys_state rate gid_index gid netdev" */
};

#define GID "0000:0000:0000:0000:0000:ffff:0a00:6706\n"

static const struct port_case port_cases[] = {
	{"no attribute but the link layer", LIST({0}), "1 Ethernet - - 0 -1 - -;"},
	{"all of them",
	 LIST({PORT "/state", "4: ACTIVE\n"}, {PORT "/phys_state", "5: LinkUp\n"},
	      {PORT "/rate", "400 Gb/sec (4X NDR)\n"}, {PORT "/gids/0", GID},
	      {PORT "/gid_attrs/types/0", "RoCE v2\n"}, {PORT "/gid_attrs/ndevs/0", "net1\n"}),
	 "1 Ethernet ACTIVE LinkUp 400 0 ::ffff:10.0.103.6 net1;"},
	{"states without a number, and rates that are none",
	 LIST({PORT "/state", "ACTIVE\n"}, {PORT "/phys_state", "\n"},
	      {PORT "/rate", "inf Gb/sec\n"}),
	 "1 Ethernet ACTIVE - 0 -1 - -;"},
	{"a rate below nothing", LIST({PORT "/rate", "-1 Gb/sec\n"}), "1 Ethernet - - 0 -1 - -;"},
	{"an empty rate", LIST({PORT "/rate", "\n"}), "1 Ethernet - - 0 -1 - -;"},
	{"a state that is longer than any",
	 LIST({PORT "/state", "4: ACTIVE_ACTIVE_ACTIVE_ACTIVE\n"}), "1 Ethernet - - 0 -1 - -;"},
	{"a link layer that is longer than any",
	 LIST({PORT "/link_layer", "Ethernet-Ethernet-Ethernet\n"}), ""},
	{"ports from 1 on, without a gap",
	 LIST({FUNCTION "/infiniband/mlx5_6/ports/2/link_layer", "InfiniBand\n"},
	      {FUNCTION "/infiniband/mlx5_6/ports/0/link_layer", "Ethernet\n"},
	      {FUNCTION "/infiniband/mlx5_6/ports/3", "a file"},
	      {FUNCTION "/infiniband/mlx5_6/ports/4/link_layer", "Ethernet\n"}),
	 "1 Ethernet - - 0 -1 - -;2 InfiniBand - - 0 -1 - -;"},
	{"the first RoCE v2 GID of an IPv4 address counts",
	 LIST({PORT "/gids/0", "fe80:0000:0000:0000:0000:0000:0000:0001\n"},
	      {PORT "/gid_attrs/types/0", "RoCE v2\n"},
	      {PORT "/gids/1", "0000:0000:0000:0000:0000:0000:0000:0000\n"}, {PORT "/gids/2", GID},
	      {PORT "/gid_attrs/types/2", "IB/RoCE v1\n"}, {PORT "/gids/3", GID},
	      {PORT "/gids/4", GID}, {PORT "/gid_attrs/types/4", "RoCE v2\n"},
	      {PORT "/gids/5", GID}, {PORT "/gid_attrs/types/5", "RoCE v2\n"}),
	 "1 Ethernet - - 0 4 ::ffff:10.0.103.6 -;"},
	{"a table ends where an entry is no GID",
	 LIST({PORT "/gids/0", "none\n"}, {PORT "/gids/1", GID},
	      {PORT "/gid_attrs/types/1", "RoCE v2\n"}),
	 "1 Ethernet - - 0 -1 - -;"},
	{"a GID's interface that is no name",
	 LIST({PORT "/gids/0", GID}, {PORT "/gid_attrs/types/0", "RoCE v2\n"},
	      {PORT "/gid_attrs/ndevs/0", "a b\n"}),
	 "1 Ethernet - - 0 0 ::ffff:10.0.103.6 -;"},
};

static const char *or_dash(const char *text)
{
	return text[0] ? text : "-";
}

static const char *ports_text(struct arena *arena, const struct node *node,
			      const struct device *device)
{
	const char *all = "";

	for (size_t i = 0; i < device->n_ports; i++) {
		const struct port *port = &device->port[i];
		char netdev[NETDEV_NAME_SIZE];

		gid_read_netdev(node, device, port, netdev);
		all = arena_printf(arena, "%s%u %s %s %s %g %d %s %s;", all, port->number,
				   or_dash(port->link_layer), or_dash(port->state),
				   or_dash(port->phys_state), port->rate_gbps, port->gid_index,
				   or_dash(port->gid), or_dash(netdev));
	}
	return all;
}

UNIT_ROWS_AS("port: ", port_cases)
{
	WITH_DIR(dir);
	cleanup_node node = usual_node(&dir, row->odd);
	struct devices devices = {0};

	assert_int_equal(node_find_number(&node, &arena, 231, 198, &devices), NUMBER_VERBS);
	ports_read_all(&node, &arena, devices.item);
	/* Idempotent */
	ports_read_all(&node, &arena, devices.item);
	assert_string_equal(ports_text(&arena, &node, devices.item), row->ports);
}

/* The kernel would ask the firmware; a plan needs states only for several ports. */
UNIT_TEST("port: of a single one, its state is not asked for a plan")
{
	static const struct entry state[ENTRIES_MAX] = {{PORT "/state", "4: ACTIVE\n"}};
	WITH_DIR(dir);
	cleanup_node node = usual_node(&dir, state);
	struct devices devices = {0};

	assert_int_equal(node_find_number(&node, &arena, 231, 198, &devices), NUMBER_VERBS);
	node_read_ports(&node, &arena, devices.item);
	assert_int_equal(devices.item[0].n_ports, 1);
	assert_string_equal(devices.item[0].port[0].state, "");
}

UNIT_TEST("device: an auxiliary one on a virtual function is a scalable function")
{
	static const struct entry auxiliary[ENTRIES_MAX] = {
		{"sys/dev/char/231:198", "> ../../devices/pci0000:3a/0000:3a:00.0/0000:3b:02.6/"
					 "mlx5_core.sf.4/infiniband_verbs/uverbs6"},
		{FUNCTION "/mlx5_core.sf.4/infiniband_verbs/uverbs6/ibdev", "mlx5_6\n"},
	};
	WITH_DIR(dir);
	cleanup_node node = usual_node(&dir, auxiliary);
	struct devices devices = {0};

	assert_int_equal(node_find_number(&node, &arena, 231, 198, &devices), NUMBER_VERBS);
	assert_int_equal(devices.item[0].kind, DEVICE_SF);
	assert_string_equal(devices.item[0].address, "mlx5_core.sf.4");
	assert_string_equal(devices.item[0].pci, "0000:3b:02.6");
	assert_string_equal(devices.item[0].pf, "0000:3b:00.0");
}

UNIT_TEST("port: a device that goes has none")
{
	WITH_DIR(dir);
	cleanup_node node = NODE_NONE;
	struct devices devices = {0};
	char name[NETDEV_NAME_SIZE] = "net1";
	struct port port = {.number = 1};

	make_usual(dir.fd);
	node = open_node(&dir);
	assert_int_equal(node_find_number(&node, &arena, 231, 198, &devices), NUMBER_VERBS);
	remove_below(dir.fd, FUNCTION);
	ports_read_all(&node, &arena, devices.item);
	assert_int_equal(devices.item[0].n_ports, 0);
	gid_read_netdev(&node, devices.item, &port, name);
	assert_string_equal(name, "");
	node_read_host_netdev(&node, &arena, devices.item);
	assert_string_equal(devices.item[0].netdev, "");
}
