/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "core/child.h"
#include "core/node/netlink.h"
#include "core/node/node.h"

/* An HCA has two ports at most; what a device has more is not looked at from in here. */
#define PORTS_MAX 8

/* What the child says about one device */
struct answer {
	char netdev[sizeof(((struct device *)NULL)->netdev)];
	int bond; /* index of the interface that netdev is a slave of; 0: none */
	size_t n_ports;
	struct port port[PORTS_MAX];
};

/* ---- in the child ---- */

struct naming {
	const struct devices *devices;
	struct answer *answers;
};

/* Several interfaces can have one parent (representors, VLANs do not): the first that is listed. */
static void on_link(void *context, const struct netlink_link *link)
{
	const struct naming *naming = context;

	for (size_t i = 0; link->parent && i < naming->devices->n; i++) {
		struct answer *answer = &naming->answers[i];

		if (strcmp(naming->devices->item[i].address, link->parent) == 0 &&
		    !answer->netdev[0] && strlen(link->name) < sizeof(answer->netdev)) {
			strcpy(answer->netdev, link->name);
			answer->bond = link->bond;
		}
	}
}

/* The addresses of a slave are its bond's (RoCE LAG, bond-cni). */
static void on_bond(void *context, const struct netlink_link *link)
{
	const struct naming *naming = context;

	for (size_t i = 0; i < naming->devices->n; i++) {
		struct answer *answer = &naming->answers[i];

		if (answer->bond == link->index && strlen(link->name) < sizeof(answer->netdev))
			strcpy(answer->netdev, link->name);
	}
}

static void name_interfaces(const struct devices *devices, struct answer *answers)
{
	struct naming naming = {.devices = devices, .answers = answers};
	bool bonded = false;

	(void)netlink_each_link(on_link, &naming);
	for (size_t i = 0; i < devices->n; i++)
		bonded |= answers[i].bond != 0;
	if (bonded)
		(void)netlink_each_link(on_bond, &naming);
}

static bool needs_ports(const struct devices *devices)
{
	for (size_t i = 0; i < devices->n; i++) {
		if (!devices->item[i].n_ports)
			return true;
	}
	return false;
}

/* sysfs shows the namespace of the process that mounted it, so that a fresh one is needed
 * (fs/sysfs/mount.c). */
static int mount_sysfs(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("sysfs", "/sys", "sysfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
		return -errno;
	return 0;
}

static void take_ports(const struct device *device, struct answer *answer)
{
	answer->n_ports = device->n_ports < PORTS_MAX ? device->n_ports : PORTS_MAX;
	memcpy(answer->port, device->port, answer->n_ports * sizeof(*device->port));
}

/* For the devices that the node itself does not show */
static void read_ports(struct arena *arena, const struct devices *all, int patience,
		       struct answer *answers)
{
	cleanup_node node = NODE_NONE;
	struct devices hidden = {.item = arena_alloc(arena, all->n * sizeof(*all->item))};
	struct err ignored;

	if (!hidden.item || mount_sysfs() < 0 || node_open("/", &node, &ignored) < 0)
		return;
	for (size_t i = 0; i < all->n; i++) {
		struct device *device = &hidden.item[hidden.n];

		*device = all->item[i];
		if (device->n_ports || node_read_ports(&node, arena, device, true, &ignored) < 0)
			continue;
		node_read_gids(&node, device);
		hidden.n++;
	}
	node_wait_for_gids(&node, &hidden, patience);
	for (size_t i = 0, h = 0; i < all->n && h < hidden.n; i++) {
		if (strcmp(all->item[i].uverbs, hidden.item[h].uverbs) == 0)
			take_ports(&hidden.item[h++], &answers[i]);
	}
}

struct question {
	struct arena *arena;
	int netns;
	const struct devices *devices;
	int patience;
	struct answer *answers;
};

static void answer_all(void *context, int out)
{
	const struct question *q = context;

	if (setns(q->netns, CLONE_NEWNET) < 0)
		return;
	name_interfaces(q->devices, q->answers);
	if (needs_ports(q->devices))
		read_ports(q->arena, q->devices, q->patience, q->answers);
	(void)child_tell(out, q->answers, q->devices->n * sizeof(*q->answers));
}

/* ---- in the parent ---- */

static int take_answer(struct arena *arena, const struct answer *answer, struct device *device)
{
	size_t size = answer->n_ports * sizeof(*answer->port);

	if (answer->netdev[0])
		strcpy(device->netdev, answer->netdev);
	if (!answer->n_ports)
		return 0;
	device->port = arena_alloc(arena, size);
	if (!device->port)
		return -1;
	memcpy(device->port, answer->port, size);
	device->n_ports = answer->n_ports;
	return 0;
}

int podnet_read(struct arena *arena, int netns, struct devices *devices, int patience,
		struct err *err)
{
	size_t size = devices->n * sizeof(struct answer);
	struct question question = {arena, netns, devices, patience, arena_alloc(arena, size)};
	struct answer *answers = question.answers;
	struct child child;
	int status;

	if (!devices->n)
		return 0;
	if (!answers)
		return err_memory(err);
	if (child_start(&child, NULL, answer_all, &question, PODNET_PATIENCE_MS, err) < 0)
		return -1;
	status = child_read(&child, answers, size);
	(void)child_end(&child);
	for (size_t i = 0; status > 0 && i < devices->n; i++) {
		if (take_answer(arena, &answers[i], &devices->item[i]) < 0)
			return err_memory(err);
	}
	return 0;
}
