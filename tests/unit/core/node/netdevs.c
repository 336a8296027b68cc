/* SPDX-License-Identifier: Apache-2.0 */
/* A verbs device's network interface */
#include "suite.h"

#include "core/node/network.h"

struct netdev_case {
	const char *name;
	struct entry odd[ENTRIES_MAX];
	const char *host; /* by sysfs */
	const char *pod;  /* by Multus' files, for sandbox "5a5a" */
};

#define DEVINFO "var/run/k8s.cni.cncf.io/devinfo/cni/"

static const struct netdev_case netdev_cases[] = {
	{"none", LIST({0}), "", ""},
	{"the first of several, by number",
	 LIST({FUNCTION "/net/eth10", NULL}, {FUNCTION "/net/eth9", NULL},
	      {FUNCTION "/net/eth11", NULL}),
	 "eth9", ""},
	{"what is no interface's name", LIST({FUNCTION "/net/a:b", NULL}), "", ""},
	{"its bond",
	 LIST({FUNCTION "/net/eth9/ifindex", "9\n"},
	      {"sys/devices/virtual/net/bond0/bonding", NULL},
	      {FUNCTION "/net/eth9/master", "> ../../../../../virtual/net/bond0"}),
	 "bond0", ""},
	{"a bridge is none",
	 LIST({FUNCTION "/net/eth9/ifindex", "9\n"}, {"sys/devices/virtual/net/br0/bridge", NULL},
	      {FUNCTION "/net/eth9/master", "> ../../../../../virtual/net/br0"}),
	 "eth9", ""},
	{"a master that is a directory of its own: no link, no name",
	 LIST({FUNCTION "/net/eth9/master/bonding", NULL}), "eth9", ""},
	{"a bond whose name is none",
	 LIST({FUNCTION "/net/eth9/ifindex", "9\n"}, {"sys/devices/virtual/net/a:b/bonding", NULL},
	      {FUNCTION "/net/eth9/master", "> ../../../../../virtual/net/a:b"}),
	 "eth9", ""},
	{"multus' file of this pod",
	 LIST({DEVINFO "team-a-5a5a_net1",
	       "{\"type\": \"pci\", \"pci\": {\"pci-address\": \"0000:3b:02.6\"}}"}),
	 "", "net1"},
	{"of another pod",
	 LIST({DEVINFO "team-a-6b6b_net1",
	       "{\"type\": \"pci\", \"pci\": {\"pci-address\": \"0000:3b:02.6\"}}"}),
	 "", ""},
	{"of another device",
	 LIST({DEVINFO "team-a-5a5a_net1",
	       "{\"type\": \"pci\", \"pci\": {\"pci-address\": \"0000:3b:02.7\"}}"}),
	 "", ""},
	{"without an address", LIST({DEVINFO "team-a-5a5a_net1", "{\"type\": \"vdpa\"}"}), "", ""},
	{"that is no JSON", LIST({DEVINFO "team-a-5a5a_net1", "{"}), "", ""},
	{"that is a link",
	 LIST({"forged", "{\"pci\": {\"pci-address\": \"0000:3b:02.6\"}}"},
	      {DEVINFO "team-a-5a5a_net1", "> ../../../../../forged"}),
	 "", ""},
	{"that is a directory", LIST({DEVINFO "team-a-5a5a_net1", NULL}), "", ""},
	{"whose name goes on otherwise",
	 LIST({DEVINFO "team-a-5a5anet1", "{\"pci\": {\"pci-address\": \"0000:3b:02.6\"}}"},
	      {DEVINFO "team-a-5a5a_a:b", "{\"pci\": {\"pci-address\": \"0000:3b:02.6\"}}"}),
	 "", ""},
};

UNIT_ROWS_AS("interface: ", netdev_cases)
{
	WITH_DIR(dir);
	cleanup_node node = usual_node(&dir, row->odd);
	struct devices devices = {0};
	struct device *device;

	assert_int_equal(node_find_number(&node, &arena, 231, 198, &devices), NUMBER_VERBS);
	device = devices.item;
	node_read_host_netdev(&node, &arena, device);
	assert_string_equal(device->netdev, row->host);
	device->netdev[0] = '\0';
	node_read_pod_netdevs(&node, &arena, &devices, NULL);
	node_read_pod_netdevs(&node, &arena, &devices, "");
	assert_string_equal(device->netdev, "");
	node_read_pod_netdevs(&node, &arena, &devices, "5a5a");
	assert_string_equal(device->netdev, row->pod);
	/* A known name stays. */
	strcpy(device->netdev, "kept");
	node_read_pod_netdevs(&node, &arena, &devices, "5a5a");
	assert_string_equal(device->netdev, "kept");
}
