// SPDX-License-Identifier: GPL-2.0
/*
 * fakehca: gives software RDMA devices the place in sysfs that a hardware HCA has.
 * For the test VM only.
 *
 * A real HCA's netdev and RDMA device are children of its PCI function: <PCI>/net/NETDEV,
 * <PCI>/infiniband/IBDEV, <PCI>/infiniband_verbs/uverbsN, /sys/class/infiniband/IBDEV/device.
 * A device of rdma_rxe has no parent. Here
 *
 * 1. at load, parameter place=NETDEV=BDF,... moves each (dummy) netdev below a PCI function, for
 *    instance a virtual function without a driver;
 * 2. from then on an RDMA device that registers gets the parent of its first port's netdev.
 *
 * The module is meant to stay loaded.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <rdma/ib_verbs.h>

#define MAX_PLACES 16

static char *place[MAX_PLACES];
static int places;
module_param_array(place, charp, &places, 0444);
MODULE_PARM_DESC(place, "netdevs to move below PCI functions, NETDEV=BDF,...");

static int move_netdev(char *spec)
{
	const char *name = strsep(&spec, "=");
	struct net_device *netdev;
	struct device *pci;
	int error = -ENODEV;

	if (!spec)
		return -EINVAL;
	netdev = dev_get_by_name(&init_net, name);
	pci = bus_find_device_by_name(&pci_bus_type, NULL, spec);
	if (netdev && pci)
		error = device_move(&netdev->dev, pci, DPM_ORDER_NONE);
	if (error)
		pr_err("fakehca: cannot move netdev %s below %s: %d\n", name, spec, error);
	put_device(pci); /* device_move() took a reference of its own */
	dev_put(netdev);
	return error;
}

/* int ib_register_device(struct ib_device *device, const char *name, struct device *dma_device) */
static int before_ib_register_device(struct kprobe *probe, struct pt_regs *regs)
{
	struct ib_device *ibdev = (struct ib_device *)regs_get_kernel_argument(regs, 0);
	struct net_device *netdev;

	if (ibdev->dev.parent || !ibdev->port_data)
		return 0;
	/* The caller holds a reference to the netdev that it gave the port. */
	netdev = rcu_dereference_raw(ibdev->port_data[1].netdev);
	if (netdev)
		ibdev->dev.parent = netdev->dev.parent;
	return 0;
}

static struct kprobe register_device = {
	.symbol_name = "ib_register_device",
	.pre_handler = before_ib_register_device,
};

static int __init fakehca_init(void)
{
	int i, error;

	for (i = 0; i < places; i++) {
		error = move_netdev(place[i]);
		if (error)
			return error;
	}
	return register_kprobe(&register_device);
}

static void __exit fakehca_exit(void)
{
	unregister_kprobe(&register_device);
}

module_init(fakehca_init);
module_exit(fakehca_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("test only: places software RDMA devices below PCI functions");
