/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "doctor/verbs/verbs.h"

#define SYSFS "/sys/class/infiniband_verbs"
#define PROVIDER_REMEDY                                                                            \
	"the image lacks the HCA's userspace driver: install ibverbs-providers (Debian), "         \
	"libibverbs of the distribution (RHEL), or the vendor's rdma-core"
#define ALLOCATE_REMEDY                                                                            \
	"request the RDMA resource of a device plugin in the container's limits, or --device"

struct unlisted {
	size_t total;   /* verbs devices of the kernel */
	size_t no_node; /* of those, not given to this container */
};

/* What the node itself says is the truth: libibverbs then looks elsewhere, and fails by ENOENT. */
static int add_closed(struct verbs_setup *setup, const struct verbs_device *device)
{
	int error = device->node_errno ? device->node_errno : device->open_errno;
	char name[24];

	return findings_add(setup->findings, "verbs_open", device->name, FINDING_FAIL,
			    trouble_open_remedy(error), "%s: %s (%s)",
			    device->node_errno ? device->node : "ibv_open_device",
			    trouble_errno_name(error, name), strerror(error));
}

/* What its ports say, the checks find in sysfs. */
static int add_device(struct verbs_setup *setup, const struct verbs_device *device)
{
	if (!device->context)
		return add_closed(setup, device);
	return findings_add(setup->findings, "verbs_open", device->name, FINDING_OK, NULL,
			    "opened; firmware %s, %zu port%s",
			    device->attr.fw_ver[0] ? device->attr.fw_ver : "unknown",
			    device->n_ports, device->n_ports == 1 ? "" : "s");
}

static bool is_listed(const struct verbs_setup *setup, const char *ibdev)
{
	for (size_t i = 0; i < setup->devices->n; i++) {
		if (strcmp(setup->devices->item[i].name, ibdev) == 0)
			return true;
	}
	return false;
}

/* libibverbs leaves out what it has no driver for, and says nothing. */
static int add_unlisted(struct verbs_setup *setup, const char *uverbs, struct unlisted *unlisted)
{
	char path[128];
	char ibdev[64];
	char name[24];
	cleanup_fd node = -1;
	int error;

	(void)snprintf(path, sizeof(path), SYSFS "/%.40s/ibdev", uverbs);
	if (fs_read_line(AT_FDCWD, path, ibdev, sizeof(ibdev)) <= 0 || !text_is_device_name(ibdev))
		return 0;
	unlisted->total++;
	if (is_listed(setup, ibdev) || verbs_device_match(setup->options->device, ibdev) < 0)
		return 0;
	(void)snprintf(path, sizeof(path), "/dev/infiniband/%.40s", uverbs);
	node = open(path, O_RDWR | O_CLOEXEC);
	error = errno;
	if (node < 0 && error == ENOENT) {
		unlisted->no_node++;
		return 0;
	}
	if (node >= 0)
		return findings_add(setup->findings, "verbs_open", ibdev, FINDING_FAIL,
				    PROVIDER_REMEDY, "%s opens, but libibverbs does not list it",
				    path);
	return findings_add(setup->findings, "verbs_open", ibdev, FINDING_FAIL,
			    trouble_open_remedy(error), "%s: %s (%s), and not in libibverbs' list",
			    path, trouble_errno_name(error, name), strerror(error));
}

static int each_unlisted(struct verbs_setup *setup, struct unlisted *unlisted)
{
	cleanup_dir *dir = opendir(SYSFS);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (text_starts_with(entry->d_name, "uverbs") &&
		    add_unlisted(setup, entry->d_name, unlisted) < 0)
			return -1;
	}
	return 0;
}

static int add_listed(struct verbs_setup *setup, const struct unlisted *unlisted)
{
	const struct verbs_devices *devices = setup->devices;
	const char *names = "";

	for (size_t i = 0; i < devices->n; i++) {
		names = arena_printf(setup->findings->arena, "%s%s%s", names, i ? ", " : "",
				     devices->item[i].name);
		if (!names)
			return -1;
	}
	if (devices->n)
		return findings_add(setup->findings, "verbs_devices", NULL, FINDING_OK, NULL,
				    "libibverbs lists %zu of %zu: %s", devices->n, unlisted->total,
				    names);
	if (setup->options->device)
		return findings_add(setup->findings, "verbs_devices", setup->options->device,
				    FINDING_FAIL, "ls /sys/class/infiniband shows the names",
				    "libibverbs lists no such device");
	if (unlisted->total == 0)
		return findings_add(setup->findings, "verbs_devices", NULL, FINDING_UNCHECKED,
				    "load the HCA's driver on the node",
				    "there is no verbs device (" SYSFS ")");
	return findings_add(setup->findings, "verbs_devices", NULL, FINDING_FAIL, ALLOCATE_REMEDY,
			    "libibverbs lists none of %zu verbs devices; %zu have no node in "
			    "/dev/infiniband here",
			    unlisted->total, unlisted->no_node);
}

int inventory_find(struct verbs_setup *setup)
{
	struct unlisted unlisted = {0};

	if (findings_add(setup->findings, "verbs_library", NULL, FINDING_OK, NULL,
			 "libibverbs.so.1 is here") < 0)
		return -1;
	for (size_t i = 0; i < setup->devices->n; i++) {
		if (add_device(setup, &setup->devices->item[i]) < 0)
			return -1;
	}
	if (each_unlisted(setup, &unlisted) < 0)
		return -1;
	return add_listed(setup, &unlisted);
}
