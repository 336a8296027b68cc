/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node's /sys and /proc with what drivers, kernels and administrators make of them beside the
 * usual: attributes that are missing or odd, links that lead elsewhere, devices that go meanwhile.
 */
#include "tests/unit/unit.h"

#include <sys/wait.h>

#include "core/base/fs.h"
#include "core/node/gid.h"
#include "core/node/gpu.h"
#include "core/node/node.h"

#define FUNCTION "sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:02.6"
#define VERBS FUNCTION "/infiniband_verbs/uverbs6"
#define PORT FUNCTION "/infiniband/mlx5_6/ports/1"

/* A file with its text, a link with its target ("> …"), or a directory (NULL) */
struct entry {
	const char *path;
	const char *text;
};

#define ENTRIES_MAX 16

/* One verbs device of a virtual function, by its number 231:198, by its class and by its bus */
static const struct entry usual[] = {
	{"sys/dev/char/231:198", "> ../../devices/pci0000:3a/0000:3a:00.0/0000:3b:02.6/"
				 "infiniband_verbs/uverbs6"},
	{"sys/class/infiniband_verbs/uverbs6",
	 "> ../../devices/pci0000:3a/0000:3a:00.0/0000:3b:02.6/infiniband_verbs/uverbs6"},
	{"sys/bus/pci/devices/0000:3b:02.6",
	 "> ../../../devices/pci0000:3a/0000:3a:00.0/0000:3b:02.6"},
	{VERBS "/ibdev", "mlx5_6\n"},
	{FUNCTION "/physfn", "> ../0000:3b:00.0"},
	{PORT "/link_layer", "Ethernet\n"},
};

static void make(int root, const struct entry *entry)
{
	char inside[256];

	if (!entry->text) {
		(void)snprintf(inside, sizeof(inside), "%s/x", entry->path);
		unit_write(root, inside, "", 0644);
		return;
	}
	(void)unlinkat(root, entry->path, 0);
	unit_write(root, entry->path, entry->text, 0644);
	if (entry->text[0] != '>')
		return;
	(void)unlinkat(root, entry->path, 0);
	assert_int_equal(symlinkat(entry->text + 2, root, entry->path), 0);
}

static void make_all(int root, const struct entry *entries, size_t n)
{
	for (size_t i = 0; i < n && entries[i].path; i++)
		make(root, &entries[i]);
}

static struct node open_node(const struct unit_dir *dir)
{
	struct node node = NODE_NONE;
	struct err err;

	assert_int_equal(node_open(dir->path, &node, &err), 0);
	return node;
}

/* ---- devices ---- */

struct device_case {
	const char *name;
	const char *missing; /* of the usual ones, and all below it */
	struct entry odd[ENTRIES_MAX];
	int by_number; /* enum node_number */
	int by_address;
	int of_vfs;
	const char *ibdev;
	const char *pf;
};

static const struct device_case device_cases[] = {
	{"the usual one", NULL, {{0}}, NUMBER_VERBS, 1, 1, "mlx5_6", "0000:3b:00.0"},
	{"no physfn: it is a physical function, and no VF",
	 FUNCTION "/physfn",
	 {{0}},
	 NUMBER_VERBS,
	 1,
	 0,
	 "mlx5_6",
	 "0000:3b:02.6"},
	{"a physfn that names no function",
	 NULL,
	 {{FUNCTION "/physfn", "> ../uplink"}},
	 NUMBER_VERBS,
	 1,
	 0,
	 "mlx5_6",
	 "0000:3b:02.6"},
	{"a number that is not there",
	 "sys/dev/char/231:198",
	 {{0}},
	 NUMBER_OTHER,
	 1,
	 1,
	 NULL,
	 NULL},
	{"a number whose link leaves sysfs's devices",
	 NULL,
	 {{"sys/dev/char/231:198", "> ../../../etc/infiniband_verbs/uverbs6"}},
	 NUMBER_OTHER,
	 1,
	 1,
	 NULL,
	 NULL},
	{"a class's link that does",
	 NULL,
	 {{"sys/class/infiniband_verbs/uverbs6", "> ../../../etc/infiniband_verbs/uverbs6"}},
	 NUMBER_VERBS,
	 1,
	 0,
	 "mlx5_6",
	 "0000:3b:00.0"},
	{"a function's link that does",
	 NULL,
	 {{"sys/bus/pci/devices/0000:3b:02.6", "> ../../../../etc"}},
	 NUMBER_VERBS,
	 0,
	 1,
	 "mlx5_6",
	 "0000:3b:00.0"},
	{"no ibdev: the device has just gone",
	 VERBS "/ibdev",
	 {{0}},
	 NUMBER_OTHER,
	 0,
	 0,
	 NULL,
	 NULL},
	{"an ibdev that is no name",
	 NULL,
	 {{VERBS "/ibdev", "mlx5 6,^\n"}},
	 NUMBER_OTHER,
	 0,
	 0,
	 NULL,
	 NULL},
	{"an ibdev that is longer than a name",
	 NULL,
	 {{VERBS "/ibdev", "mlx5_mlx5_mlx5_mlx5_mlx5_mlx5_mlx5_mlx5_mlx5_mlx5_mlx5_mlx5_mlx5_\n"}},
	 NUMBER_OTHER,
	 0,
	 0,
	 NULL,
	 NULL},
	{"a name behind the class that is not uverbs",
	 NULL,
	 {{"sys/dev/char/231:198", "> ../../devices/pci0000:3a/infiniband_verbs/umad6"}},
	 NUMBER_OTHER,
	 1,
	 1,
	 NULL,
	 NULL},
	{"uverbs without a number",
	 NULL,
	 {{"sys/dev/char/231:198", "> ../../devices/pci0000:3a/infiniband_verbs/uverbs"}},
	 NUMBER_OTHER,
	 1,
	 1,
	 NULL,
	 NULL},
	{"uverbs with more than a number",
	 NULL,
	 {{"sys/dev/char/231:198", "> ../../devices/pci0000:3a/infiniband_verbs/uverbs6x"}},
	 NUMBER_OTHER,
	 1,
	 1,
	 NULL,
	 NULL},
	{"uverbs with a number that is longer than any",
	 NULL,
	 {{"sys/dev/char/231:198",
	   "> ../../devices/pci0000:3a/infiniband_verbs/uverbs123456789012345678"}},
	 NUMBER_OTHER,
	 1,
	 1,
	 NULL,
	 NULL},
	{"the class's name further up",
	 NULL,
	 {{"sys/dev/char/231:198", "> ../../devices/infiniband_verbs/x/uverbs6"}},
	 NUMBER_OTHER,
	 1,
	 1,
	 NULL,
	 NULL},
	{"other entries of the class are none of its devices",
	 NULL,
	 {{"sys/class/infiniband_verbs/abi_version", "6\n"},
	  {"sys/class/infiniband_verbs/uverbs7", "no link"}},
	 NUMBER_VERBS,
	 1,
	 1,
	 "mlx5_6",
	 "0000:3b:00.0"},
	{"nor are those of a function's directory",
	 NULL,
	 {{FUNCTION "/infiniband_verbs/umad6", NULL}},
	 NUMBER_VERBS,
	 1,
	 1,
	 "mlx5_6",
	 "0000:3b:00.0"},
	{"no class at all", "sys/class", {{0}}, NUMBER_VERBS, 1, 0, "mlx5_6", "0000:3b:00.0"},
	{"no bus at all", "sys/bus", {{0}}, NUMBER_VERBS, 0, 1, "mlx5_6", "0000:3b:00.0"},
	{"no character devices at all", "sys/dev", {{0}}, NUMBER_OTHER, 1, 1, NULL, NULL},
};

static void remove_below(int root, const char *path)
{
	int fd = openat(root, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0) {
		unit_empty(fd);
		(void)close(fd);
	}
	assert_int_equal(unlinkat(root, path, fd >= 0 ? AT_REMOVEDIR : 0), 0);
}

static void devices_are_found(void **state)
{
	const struct device_case *row = *state;
	cleanup_arena arena = {0};
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_node node = NODE_NONE;
	struct devices devices = {0};
	struct devices others = {0};
	struct err err;

	make_all(dir.fd, usual, LENGTH(usual));
	if (row->missing)
		remove_below(dir.fd, row->missing);
	make_all(dir.fd, row->odd, ENTRIES_MAX);
	node = open_node(&dir);
	assert_int_equal(node_find_number(&node, &arena, 231, 198, &devices, &err), row->by_number);
	assert_int_equal(devices.n, row->by_number == NUMBER_VERBS);
	if (row->ibdev) {
		assert_string_equal(devices.item[0].ibdev, row->ibdev);
		assert_string_equal(devices.item[0].pf, row->pf);
	}
	assert_int_equal(node_find_address(&node, &arena, "0000:3b:02.6", &others, &err),
			 row->by_address);
	assert_int_equal(node_find_vfs(&node, &arena, &others, &err), row->of_vfs);
	assert_int_equal(others.n, row->by_address + row->of_vfs);
}

static void numbers_that_no_device_has_are_none(void **state)
{
	static const int64_t numbers[][2] = {
		{-1, 198}, {231, -1}, {INT64_MIN, INT64_MIN}, {INT64_MAX, INT64_MAX}, {231, 0}};
	cleanup_arena arena = {0};
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_node node = NODE_NONE;
	struct devices devices = {0};
	struct err err;

	(void)state;
	make_all(dir.fd, usual, LENGTH(usual));
	node = open_node(&dir);
	for (size_t i = 0; i < LENGTH(numbers); i++)
		assert_int_equal(node_find_number(&node, &arena, numbers[i][0], numbers[i][1],
						  &devices, &err),
				 NUMBER_OTHER);
	assert_int_equal(devices.n, 0);
}

static void a_sysroot_that_cannot_be_opened_is_an_error(void **state)
{
	cleanup_unit_dir dir = unit_dir_make();
	struct node node = NODE_NONE;
	struct err err;
	char path[512];

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/none", dir.path);
	assert_int_equal(node_open(path, &node, &err), -1);
	assert_has(err.text, "none: No such file or directory");
	unit_write(dir.fd, "sys/dev/char", "no directory", 0644);
	assert_int_equal(node_open(dir.path, &node, &err), -1);
	assert_has(err.text, "/sys/dev/char: Not a directory");
	assert_int_equal(node.root, -1);
}

/* ---- ports and GIDs ---- */

struct port_case {
	const char *name;
	struct entry odd[ENTRIES_MAX];
	const char
		*ports; /* "number link_layer state phys_state rate gid_index gid netdev" of each */
};

#define GID "0000:0000:0000:0000:0000:ffff:0a00:6706\n"

static const struct port_case port_cases[] = {
	{"no attribute but the link layer", {{0}}, "1 Ethernet - - 0 -1 - -;"},
	{"all of them",
	 {{PORT "/state", "4: ACTIVE\n"},
	  {PORT "/phys_state", "5: LinkUp\n"},
	  {PORT "/rate", "400 Gb/sec (4X NDR)\n"},
	  {PORT "/gids/0", GID},
	  {PORT "/gid_attrs/types/0", "RoCE v2\n"},
	  {PORT "/gid_attrs/ndevs/0", "net1\n"}},
	 "1 Ethernet ACTIVE LinkUp 400 0 ::ffff:10.0.103.6 net1;"},
	{"states without a number, and rates that are none",
	 {{PORT "/state", "ACTIVE\n"}, {PORT "/phys_state", "\n"}, {PORT "/rate", "inf Gb/sec\n"}},
	 "1 Ethernet ACTIVE - 0 -1 - -;"},
	{"a rate below nothing", {{PORT "/rate", "-1 Gb/sec\n"}}, "1 Ethernet - - 0 -1 - -;"},
	{"an empty rate", {{PORT "/rate", "\n"}}, "1 Ethernet - - 0 -1 - -;"},
	{"a state that is longer than any",
	 {{PORT "/state", "4: ACTIVE_ACTIVE_ACTIVE_ACTIVE\n"}},
	 "1 Ethernet - - 0 -1 - -;"},
	{"a link layer that is longer than any",
	 {{PORT "/link_layer", "Ethernet-Ethernet-Ethernet\n"}},
	 "1 - - - 0 -1 - -;"},
	{"ports from 1 on, without a gap",
	 {{FUNCTION "/infiniband/mlx5_6/ports/2/link_layer", "InfiniBand\n"},
	  {FUNCTION "/infiniband/mlx5_6/ports/0/link_layer", "Ethernet\n"},
	  {FUNCTION "/infiniband/mlx5_6/ports/3", "a file"},
	  {FUNCTION "/infiniband/mlx5_6/ports/4/link_layer", "Ethernet\n"}},
	 "1 Ethernet - - 0 -1 - -;2 InfiniBand - - 0 -1 - -;"},
	{"the first RoCE v2 GID of an IPv4 address counts",
	 {{PORT "/gids/0", "fe80:0000:0000:0000:0000:0000:0000:0001\n"},
	  {PORT "/gid_attrs/types/0", "RoCE v2\n"},
	  {PORT "/gids/1", "0000:0000:0000:0000:0000:0000:0000:0000\n"},
	  {PORT "/gids/2", GID},
	  {PORT "/gid_attrs/types/2", "IB/RoCE v1\n"},
	  {PORT "/gids/3", GID},
	  {PORT "/gids/4", GID},
	  {PORT "/gid_attrs/types/4", "RoCE v2\n"}},
	 "1 Ethernet - - 0 4 ::ffff:10.0.103.6 -;"},
	{"a table ends where an entry is no GID",
	 {{PORT "/gids/0", "none\n"},
	  {PORT "/gids/1", GID},
	  {PORT "/gid_attrs/types/1", "RoCE v2\n"}},
	 "1 Ethernet - - 0 -1 - -;"},
	{"a GID's interface that is no name",
	 {{PORT "/gids/0", GID},
	  {PORT "/gid_attrs/types/0", "RoCE v2\n"},
	  {PORT "/gid_attrs/ndevs/0", "a b\n"}},
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

static void ports_are_read(void **state)
{
	const struct port_case *row = *state;
	cleanup_arena arena = {0};
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_node node = NODE_NONE;
	struct devices devices = {0};
	struct err err;

	make_all(dir.fd, usual, LENGTH(usual));
	make_all(dir.fd, row->odd, ENTRIES_MAX);
	node = open_node(&dir);
	assert_int_equal(node_find_number(&node, &arena, 231, 198, &devices, &err), NUMBER_VERBS);
	assert_int_equal(node_read_ports(&node, &arena, devices.item, true, &err), 0);
	node_read_gids(&node, devices.item);
	assert_string_equal(ports_text(&arena, &node, devices.item), row->ports);
}

static void a_device_that_goes_has_no_ports(void **state)
{
	cleanup_arena arena = {0};
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_node node = NODE_NONE;
	struct devices devices = {0};
	char name[NETDEV_NAME_SIZE] = "net1";
	struct port port = {.number = 1};
	struct err err;

	(void)state;
	make_all(dir.fd, usual, LENGTH(usual));
	node = open_node(&dir);
	assert_int_equal(node_find_number(&node, &arena, 231, 198, &devices, &err), NUMBER_VERBS);
	remove_below(dir.fd, FUNCTION);
	assert_int_equal(node_read_ports(&node, &arena, devices.item, true, &err), 0);
	assert_int_equal(devices.item[0].n_ports, 0);
	gid_read_netdev(&node, devices.item, &port, name);
	assert_string_equal(name, "");
	pci_read_place(&node, &devices.item[0].place);
	assert_false(devices.item[0].place.has_numa_node);
	assert_int_equal(node_read_host_netdev(&node, devices.item), 0);
	assert_string_equal(devices.item[0].netdev, "");
}

/* The kernel fills the table a moment after the address was set; here another process does. */
static void a_gid_that_comes_late_is_waited_for(void **state)
{
	cleanup_arena arena = {0};
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_node node = NODE_NONE;
	struct devices devices = {0};
	struct err err;
	pid_t child;

	(void)state;
	make_all(dir.fd, usual, LENGTH(usual));
	unit_write(dir.fd, PORT "/gid_attrs/types/0", "RoCE v2\n", 0644);
	node = open_node(&dir);
	assert_int_equal(node_find_number(&node, &arena, 231, 198, &devices, &err), NUMBER_VERBS);
	assert_int_equal(node_read_ports(&node, &arena, devices.item, true, &err), 0);
	node_wait_for_gids(&node, &devices, 0);
	assert_int_equal(devices.item[0].port[0].gid_index, -1);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		(void)usleep(100 * 1000);
		unit_write(dir.fd, PORT "/gids/0", GID, 0644);
		_exit(0);
	}
	node_wait_for_gids(&node, &devices, 20000);
	assert_int_equal(devices.item[0].port[0].gid_index, 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/* ---- interfaces ---- */

struct netdev_case {
	const char *name;
	struct entry odd[ENTRIES_MAX];
	const char *host; /* by sysfs */
	const char *pod;  /* by multus' files, of sandbox "5a5a" */
};

#define DEVINFO "var/run/k8s.cni.cncf.io/devinfo/cni/"

static const struct netdev_case netdev_cases[] = {
	{"none", {{0}}, "", ""},
	{"the first of several, by number",
	 {{FUNCTION "/net/eth10", NULL},
	  {FUNCTION "/net/eth9", NULL},
	  {FUNCTION "/net/eth11", NULL}},
	 "eth9",
	 ""},
	{"what is no interface's name", {{FUNCTION "/net/a:b", NULL}}, "", ""},
	{"its bond",
	 {{FUNCTION "/net/eth9/ifindex", "9\n"},
	  {"sys/devices/virtual/net/bond0/bonding", NULL},
	  {FUNCTION "/net/eth9/master", "> ../../../../../virtual/net/bond0"}},
	 "bond0",
	 ""},
	{"a bridge is none",
	 {{FUNCTION "/net/eth9/ifindex", "9\n"},
	  {"sys/devices/virtual/net/br0/bridge", NULL},
	  {FUNCTION "/net/eth9/master", "> ../../../../../virtual/net/br0"}},
	 "eth9",
	 ""},
	{"a master that is a directory of its own: no link, no name",
	 {{FUNCTION "/net/eth9/master/bonding", NULL}},
	 "eth9",
	 ""},
	{"a bond whose name is none",
	 {{FUNCTION "/net/eth9/ifindex", "9\n"},
	  {"sys/devices/virtual/net/a:b/bonding", NULL},
	  {FUNCTION "/net/eth9/master", "> ../../../../../virtual/net/a:b"}},
	 "eth9",
	 ""},
	{"multus' file of this pod",
	 {{DEVINFO "team-a-5a5a_net1",
	   "{\"type\": \"pci\", \"pci\": {\"pci-address\": \"0000:3b:02.6\"}}"}},
	 "",
	 "net1"},
	{"of another pod",
	 {{DEVINFO "team-a-6b6b_net1",
	   "{\"type\": \"pci\", \"pci\": {\"pci-address\": \"0000:3b:02.6\"}}"}},
	 "",
	 ""},
	{"of another device",
	 {{DEVINFO "team-a-5a5a_net1",
	   "{\"type\": \"pci\", \"pci\": {\"pci-address\": \"0000:3b:02.7\"}}"}},
	 "",
	 ""},
	{"without an address", {{DEVINFO "team-a-5a5a_net1", "{\"type\": \"vdpa\"}"}}, "", ""},
	{"that is no JSON", {{DEVINFO "team-a-5a5a_net1", "{"}}, "", ""},
	{"that is a link",
	 {{"forged", "{\"pci\": {\"pci-address\": \"0000:3b:02.6\"}}"},
	  {DEVINFO "team-a-5a5a_net1", "> ../../../../../forged"}},
	 "",
	 ""},
	{"that is a directory", {{DEVINFO "team-a-5a5a_net1", NULL}}, "", ""},
	{"whose name goes on otherwise",
	 {{DEVINFO "team-a-5a5anet1", "{\"pci\": {\"pci-address\": \"0000:3b:02.6\"}}"},
	  {DEVINFO "team-a-5a5a_a:b", "{\"pci\": {\"pci-address\": \"0000:3b:02.6\"}}"}},
	 "",
	 ""},
};

static void interfaces_are_found(void **state)
{
	const struct netdev_case *row = *state;
	cleanup_arena arena = {0};
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_node node = NODE_NONE;
	struct devices devices = {0};
	struct device *device;
	struct err err;

	make_all(dir.fd, usual, LENGTH(usual));
	make_all(dir.fd, row->odd, ENTRIES_MAX);
	node = open_node(&dir);
	assert_int_equal(node_find_number(&node, &arena, 231, 198, &devices, &err), NUMBER_VERBS);
	device = devices.item;
	assert_int_equal(node_read_host_netdev(&node, device), 0);
	assert_string_equal(device->netdev, row->host);
	device->netdev[0] = '\0';
	assert_int_equal(node_read_pod_netdevs(&node, &devices, NULL), 0);
	assert_int_equal(node_read_pod_netdevs(&node, &devices, ""), 0);
	assert_string_equal(device->netdev, "");
	assert_int_equal(node_read_pod_netdevs(&node, &devices, "5a5a"), 0);
	assert_string_equal(device->netdev, row->pod);
	/* What has a name keeps it. */
	strcpy(device->netdev, "kept");
	assert_int_equal(node_read_pod_netdevs(&node, &devices, "5a5a"), 0);
	assert_string_equal(device->netdev, "kept");
}

/* ---- GPUs, and where a function sits ---- */

#define GPUS "proc/driver/nvidia/gpus/"
#define BUS "sys/bus/pci/devices/"

struct gpu_case {
	const char *name;
	struct entry entries[ENTRIES_MAX];
	const char *of_driver; /* "address=minor …" */
	const char *all;
};

static const struct gpu_case gpu_cases[] = {
	{"no driver, no bus", {{0}}, "", ""},
	{"the driver's, in order",
	 {{GPUS "0000:9b:00.0/information", "Model: \t H100\nDevice Minor: \t 3\nIRQ: 1\n"},
	  {GPUS "0000:18:00.0/information", "Model: \t H100\nDevice Minor: \t 0\n"}},
	 "0000:18:00.0=0 0000:9b:00.0=3 ",
	 "0000:18:00.0=0 0000:9b:00.0=3 "},
	{"one without information",
	 {{GPUS "0000:18:00.0", NULL}},
	 "0000:18:00.0=-1 ",
	 "0000:18:00.0=-1 "},
	{"one without a minor",
	 {{GPUS "0000:18:00.0/information", "Model: \t H100\n"}},
	 "0000:18:00.0=-1 ",
	 "0000:18:00.0=-1 "},
	{"a minor that is no number",
	 {{GPUS "0000:18:00.0/information", "Model: x\nDevice Minor: \t N/A\n"},
	  {GPUS "0000:19:00.0/information", "Model: x\nDevice Minor: \t -1\n"}},
	 "0000:18:00.0=-1 0000:19:00.0=-1 ",
	 "0000:18:00.0=-1 0000:19:00.0=-1 "},
	{"what is no address", {{GPUS "all/information", "Device Minor: \t 0\n"}}, "", ""},
	{"the driver is not loaded: the bus, by class and vendor",
	 {{BUS "0000:18:00.0/class", "0x030200\n"},
	  {BUS "0000:18:00.0/vendor", "0x10de\n"},
	  {BUS "0000:19:00.0/class", "0x030000\n"},
	  {BUS "0000:19:00.0/vendor", "0x10de\n"},
	  {BUS "0000:1a:00.0/class", "0x030000\n"},
	  {BUS "0000:1a:00.0/vendor", "0x1a03\n"},
	  {BUS "0000:1b:00.0/class", "0x020000\n"},
	  {BUS "0000:1b:00.0/vendor", "0x10de\n"},
	  {BUS "0000:1c:00.0/class", "0x030000\n"},
	  {BUS "0000:1d:00.0/vendor", "0x10de\n"},
	  {BUS "x/class", "0x030000\n"}},
	 "",
	 "0000:18:00.0=-1 0000:19:00.0=-1 "},
};

static const char *gpus_text(struct arena *arena, const struct gpus *gpus)
{
	const char *all = "";

	for (size_t i = 0; i < gpus->n; i++)
		all = arena_printf(arena, "%s%s=%d ", all, gpus->item[i].pci,
				   (int)gpus->item[i].minor);
	return all;
}

static void gpus_are_found(void **state)
{
	const struct gpu_case *row = *state;
	cleanup_arena arena = {0};
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_node node = NODE_NONE;
	struct gpus gpus = {0};
	struct gpus all = {0};
	struct err err;

	make_all(dir.fd, row->entries, ENTRIES_MAX);
	node = open_node(&dir);
	assert_true(gpu_list_driver(&node, &arena, &gpus, &err) >= 0);
	assert_string_equal(gpus_text(&arena, &gpus), row->of_driver);
	assert_int_equal(gpu_list(&node, &arena, &all, &err), 0);
	assert_string_equal(gpus_text(&arena, &all), row->all);
}

struct place_case {
	const char *name;
	struct entry odd[ENTRIES_MAX];
	int numa_node; /* -1: not known */
	const char *iommu;
};

static const struct place_case place_cases[] = {
	{"nothing is said", {{0}}, -1, ""},
	{"all is said",
	 {{FUNCTION "/numa_node", "1\n"},
	  {FUNCTION "/iommu_group", "> ../../../../kernel/iommu_groups/57"},
	  {"sys/kernel/iommu_groups/57/type", "DMA-FQ\n"}},
	 1,
	 "DMA-FQ"},
	{"the firmware does not say", {{FUNCTION "/numa_node", "-1\n"}}, -1, ""},
	{"an empty node", {{FUNCTION "/numa_node", "\n"}}, -1, ""},
	{"a group without a type",
	 {{FUNCTION "/iommu_group", "> ../../../../kernel/iommu_groups/57"}},
	 -1,
	 ""},
	{"a type that is longer than any",
	 {{FUNCTION "/iommu_group", "> ../../../../kernel/iommu_groups/57"},
	  {"sys/kernel/iommu_groups/57/type", "DMA-DMA-DMA-DMA-DMA\n"}},
	 -1,
	 ""},
};

static void a_place_is_read(void **state)
{
	const struct place_case *row = *state;
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_node node = NODE_NONE;
	struct pci_place place = {.path = FUNCTION};
	struct pci_place none = {0};

	make_all(dir.fd, usual, LENGTH(usual));
	make_all(dir.fd, row->odd, ENTRIES_MAX);
	node = open_node(&dir);
	pci_read_place(&node, &place);
	assert_int_equal(place.has_numa_node ? place.numa_node : -1, row->numa_node);
	assert_string_equal(place.iommu, row->iommu);
	pci_read_place(&node, &none);
	assert_false(none.has_numa_node);
}

int main(void)
{
	static struct unit_suite suite;

	UNIT_TABLE_AS(&suite, "device: ", devices_are_found, device_cases);
	unit_add(&suite, "device: numbers that no device has are none",
		 numbers_that_no_device_has_are_none, NULL);
	unit_add(&suite, "a sysroot that cannot be opened is an error",
		 a_sysroot_that_cannot_be_opened_is_an_error, NULL);
	UNIT_TABLE_AS(&suite, "port: ", ports_are_read, port_cases);
	unit_add(&suite, "port: a device that goes has none", a_device_that_goes_has_no_ports,
		 NULL);
	unit_add(&suite, "port: a GID that comes late is waited for",
		 a_gid_that_comes_late_is_waited_for, NULL);
	UNIT_TABLE_AS(&suite, "interface: ", interfaces_are_found, netdev_cases);
	UNIT_TABLE_AS(&suite, "GPU: ", gpus_are_found, gpu_cases);
	UNIT_TABLE_AS(&suite, "place: ", a_place_is_read, place_cases);
	return unit_run(&suite, "node");
}
