/* SPDX-License-Identifier: Apache-2.0 */
/* Reading from within a network namespace: what it finds, and that nothing of it stays. tests/vm
 * has RDMA devices there. */
#include "tests/unit/unit.h"

#include <net/if.h>

#include "core/node/netlink.h"
#include "core/node/node.h"

/* More answers than a pipe takes at once, which is 64 KiB */
#define MANY 600

/* A new network namespace, with a loopback interface alone; -1 if this machine lets root have none.
 */
static int new_namespace(void)
{
	cleanup_fd ours = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	int made;

	assert_true(ours >= 0);
	if (unshare(CLONE_NEWNET) < 0)
		return -1;
	made = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	assert_int_equal(setns(ours, CLONE_NEWNET), 0);
	assert_true(made >= 0);
	return made;
}

/* In a container root may lack CAP_SYS_ADMIN. */
static bool has_namespaces(void)
{
	cleanup_fd netns = geteuid() == 0 ? new_namespace() : -1;

	return netns >= 0;
}

static struct device device_at(const char *address)
{
	struct device device = {.ibdev = "mlx5_6", .path = "sys/devices/none", .netdev = "hint"};

	(void)snprintf(device.address, sizeof(device.address), "%.60s", address);
	return device;
}

/* Reads one device from the namespace, which is to be no error. */
static void read_one(int netns, struct device *device)
{
	WITH_ARENA;
	struct devices devices = {.item = device, .n = 1, .room = 1};

	assert_int_equal(podnet_read(&arena, netns, &devices, 0, &err), 0);
}

static void stays_as_it_was(int netns)
{
	struct port port = {.number = 1, .link_layer = "Ethernet", .gid_index = 3};
	struct device device = device_at("0000:3b:02.6");

	read_one(netns, &device);
	assert_string_equal(device.netdev, "hint");
	assert_int_equal(device.n_ports, 0);
	device.port = &port;
	device.n_ports = 1;
	read_one(netns, &device);
	assert_ptr_equal(device.port, &port);
	assert_int_equal(port.gid_index, 3);
}

UNIT_TEST_IF(has_namespaces(), "podnet: an empty namespace changes nothing")
{
	cleanup_fd netns = new_namespace();

	stays_as_it_was(netns);
}

UNIT_TEST("podnet: what is no network namespace changes nothing")
{
	static const char *const paths[] = {"/dev/null", "/", "/proc/self/ns/uts", "/nowhere"};

	for (size_t i = 0; i < LENGTH(paths); i++) {
		cleanup_fd fd = open(paths[i], O_RDONLY | O_CLOEXEC);

		stays_as_it_was(fd);
	}
}

UNIT_TEST("podnet: no device, nothing to do")
{
	WITH_ARENA;
	struct devices devices = {0};

	assert_int_equal(podnet_read(&arena, -1, &devices, 0, &err), 0);
}

/* In our own namespace sysfs says the same: "../../../0000:00:03.0", "../../../virtio1". */
UNIT_TEST_IF(has_namespaces(), "podnet: names and parents as sysfs has them")
{
	cleanup_fd netns = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	cleanup_dir *dir = opendir("/sys/class/net");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		struct device device;
		char path[600];
		char link[256];
		char again[256];
		ssize_t len;

		(void)snprintf(path, sizeof(path), "%s/device", entry->d_name);
		len = readlinkat(dirfd(dir), path, link, sizeof(link) - 1);
		/* /sys may be another namespace's. */
		if (len <= 0 || !if_nametoindex(entry->d_name))
			continue;
		link[len] = '\0';
		device = device_at(strrchr(link, '/') ? strrchr(link, '/') + 1 : link);
		read_one(netns, &device);
		/* Of several on one parent it is another. */
		(void)snprintf(path, sizeof(path), "/sys/class/net/%s/device", device.netdev);
		len = readlink(path, again, sizeof(again) - 1);
		assert_true(len > 0);
		again[len] = '\0';
		assert_string_equal(again, link);
	}
}

UNIT_TEST_IF(has_namespaces(), "podnet: more answers than a pipe takes at once")
{
	WITH_ARENA;
	cleanup_fd netns = new_namespace();
	static struct device item[MANY];
	struct devices devices = {.item = item, .n = MANY, .room = MANY};

	for (size_t i = 0; i < MANY; i++)
		item[i] = device_at("0000:3b:02.6");
	assert_int_equal(podnet_read(&arena, netns, &devices, 0, &err), 0);
	assert_string_equal(item[MANY - 1].netdev, "hint");
}

/* What a process is in, and how many descriptors it has */
struct place {
	ino_t net;
	ino_t mnt;
	dev_t sys;
	int descriptors;
};

static struct place our_place(void)
{
	struct stat net;
	struct stat mnt;
	struct stat sys;

	assert_int_equal(stat("/proc/thread-self/ns/net", &net), 0);
	assert_int_equal(stat("/proc/thread-self/ns/mnt", &mnt), 0);
	assert_int_equal(stat("/sys", &sys), 0);
	return (struct place){net.st_ino, mnt.st_ino, sys.st_dev, unit_descriptors()};
}

/* On a busy machine a child that was killed may not end in the time that child_end() has for it; of
 * several at least one does. */
#define ROUNDS 8

static int children_that_stayed(void)
{
	int n = 0;

	while (waitpid(-1, NULL, 0) > 0)
		n++;
	assert_int_equal(errno, ECHILD);
	return n;
}

UNIT_TEST_IF(has_namespaces(), "podnet: no child, mount, namespace or descriptor stays")
{
	cleanup_fd netns = new_namespace();
	struct device device = device_at("0000:3b:02.6");
	struct place before = our_place();
	struct place after;

	for (int i = 0; i < ROUNDS; i++)
		read_one(netns, &device);
	after = our_place();
	assert_int_equal(after.net, before.net);
	assert_int_equal(after.mnt, before.mnt);
	assert_int_equal(after.sys, before.sys);
	assert_int_equal(after.descriptors, before.descriptors);
	assert_true(children_that_stayed() < ROUNDS);
}

static void on_link(void *context, const struct netlink_link *link)
{
	int *n = context;

	assert_string_equal(link->name, "lo");
	assert_int_equal(link->index, 1);
	assert_null(link->parent);
	assert_int_equal(link->bond, 0);
	++*n;
}

UNIT_TEST_IF(has_namespaces(), "netlink: the loopback interface belongs to nothing")
{
	cleanup_fd ours = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	cleanup_fd netns = new_namespace();
	int status;
	int n = 0;

	assert_int_equal(setns(netns, CLONE_NEWNET), 0);
	status = netlink_each_link(on_link, &n);
	assert_int_equal(setns(ours, CLONE_NEWNET), 0);
	assert_int_equal(status, 0);
	assert_int_equal(n, 1);
}

int main(void)
{
	return unit_main("podnet");
}
