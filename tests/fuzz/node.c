/* SPDX-License-Identifier: Apache-2.0 */
/* sysfs and a device-info file, an attribute a part, with '|' between: "mlx5_6|1: DOWN|…" */
#include <arpa/inet.h>
#include <math.h>

#include "core/node/network.h"
#include "explain/topology.h"
#include "fuzz.h"

#define DEVICE "sys/devices/pci0000:3a/0000:3b:02.6"
#define PORT DEVICE "/infiniband/mlx5_6/ports/1"
#define DEVINFO "var/run/k8s.cni.cncf.io/devinfo/cni"

static const char *const directories[] = {
	"sys/dev/char",
	"sys/kernel/iommu_groups/57",
	"sys/devices/pci0000:3a/0000:3b:00.0",
	DEVICE "/infiniband_verbs/uverbs6",
	DEVICE "/net/eth6",
	DEVICE "/infiniband/mlx5_6/ports/2",
	PORT "/gids",
	PORT "/gid_attrs/types",
	PORT "/gid_attrs/ndevs",
	DEVINFO,
};

static const char *const files[] = {
	DEVICE "/infiniband_verbs/uverbs6/ibdev",
	PORT "/state",
	PORT "/link_layer",
	PORT "/rate",
	PORT "/gids/0",
	PORT "/gid_attrs/types/0",
	PORT "/gids/1",
	PORT "/gid_attrs/types/1",
	DEVICE "/numa_node",
	"sys/kernel/iommu_groups/57/type",
	DEVINFO "/net-sandbox_net1",
	PORT "/phys_state",
	PORT "/gid_attrs/ndevs/0",
};

#define FILES (sizeof(files) / sizeof(files[0]))

static int make_tree(void)
{
	int root = fuzz_directory();
	char part[256];

	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
		for (const char *at = directories[i]; at; at = strchr(at + 1, '/')) {
			snprintf(part, sizeof(part), "%.*s", (int)(at - directories[i]),
				 directories[i]);
			(void)mkdirat(root, part, 0755);
		}
		must(mkdirat(root, directories[i], 0755));
	}
	must(symlinkat("../../devices/pci0000:3a/0000:3b:02.6/infiniband_verbs/uverbs6", root,
		       "sys/dev/char/231:198"));
	must(symlinkat("../0000:3b:00.0", root, DEVICE "/physfn"));
	must(symlinkat("../../../kernel/iommu_groups/57", root, DEVICE "/iommu_group"));
	return root;
}

static void check_text(const char *text, size_t size)
{
	promise(strnlen(text, size) < size);
}

static void check_port(const struct port *port)
{
	struct in6_addr gid;

	check_text(port->state, sizeof(port->state));
	check_text(port->phys_state, sizeof(port->phys_state));
	check_text(port->link_layer, sizeof(port->link_layer));
	check_text(port->gid, sizeof(port->gid));
	promise(isfinite(port->rate_gbps) && port->rate_gbps >= 0);
	promise((port->gid_index < 0) == !port->gid[0]);
	promise(port->gid_index < 0 ||
		(inet_pton(AF_INET6, port->gid, &gid) == 1 && IN6_IS_ADDR_V4MAPPED(&gid)));
}

static void check_device(const struct device *device)
{
	promise(text_is_device_name(device->ibdev));
	promise(strcmp(device->uverbs, "uverbs6") == 0 && device->kind == DEVICE_VF);
	promise(strcmp(device->pci, "0000:3b:02.6") == 0 &&
		strcmp(device->pf, "0000:3b:00.0") == 0);
	promise(!device->netdev[0] || text_is_netdev_name(device->netdev));
	check_text(device->place.iommu, sizeof(device->place.iommu));
	for (size_t i = 0; i < device->n_ports; i++)
		check_port(&device->port[i]);
}

static void check_gid_netdevs(const struct node *node, const struct device *device)
{
	char netdev[NETDEV_NAME_SIZE];

	for (size_t i = 0; i < device->n_ports; i++) {
		gid_read_netdev(node, device, &device->port[i], netdev);
		promise(!netdev[0] || text_is_netdev_name(netdev));
	}
}

/* A write takes longer than all that is read, and of an input the last one had most parts. */
static void write_file(int root, size_t place, const uint8_t *bytes, size_t len)
{
	static struct fs_text held[FILES];
	struct fs_text *text = &held[place];

	if (text->bytes && text->len == len && memcmp(text->bytes, bytes, len) == 0)
		return;
	fuzz_write(root, files[place], (const char *)bytes, len);
	text->bytes = realloc(text->bytes, len + 1);
	promise(text->bytes);
	memcpy(text->bytes, bytes, len);
	text->len = len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct node node = {.root = -1};
	cleanup_arena arena = {0};
	struct devices devices = {0};

	if (node.root < 0) {
		node = (struct node){.recorded = true, .root = make_tree()};
		node.char_devices = openat(node.root, "sys/dev/char", O_PATH | O_CLOEXEC);
	}
	for (size_t i = 0; i < FILES; i++) {
		const uint8_t *bar = size ? memchr(data, '|', size) : NULL;
		size_t len = bar ? (size_t)(bar - data) : size;

		write_file(node.root, i, data, len);
		data += len + (bar != NULL);
		size -= len + (bar != NULL);
	}
	(void)node_find_number(&node, &arena, 231, 198, &devices);
	for (size_t i = 0; i < devices.n; i++) {
		ports_read_all(&node, &arena, &devices.item[i]);
		pci_read_place(&node, &devices.item[i].place);
		pci_read_iommu(&node, &devices.item[i].place);
		check_gid_netdevs(&node, &devices.item[i]);
	}
	node_read_pod_netdevs(&node, &arena, &devices, "sandbox");
	promise(!arena.failed);
	for (size_t i = 0; i < devices.n; i++)
		check_device(&devices.item[i]);
	return 0;
}
