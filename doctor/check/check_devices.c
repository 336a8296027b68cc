/* SPDX-License-Identifier: Apache-2.0 */
/* check.h declares it. Device files that libibverbs opens */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "doctor/check/check.h"
#include "doctor/verbs/trouble.h"

#define REMEDY_NUMBER                                                                              \
	"Delete the pod, so that its devices are allocated again; in exclusive RDMA mode move "    \
	"the device "                                                                              \
	"before the device plugin allocates it"

#define NAMED_MAX 16

static int add_none(const struct doctor *doctor, struct findings *findings)
{
	const struct target *target = &doctor->target;

	if (doctor->files.late)
		return findings_add(findings, "rdma_devices", NULL, FINDING_UNCHECKED,
				    "Look at what is mounted on the container's /dev: grep /dev "
				    "/proc/PID/mountinfo",
				    "the /dev of %s has not answered in %d s", target->name,
				    DEVICE_FILES_SECONDS);
	if (!doctor->files.readable)
		return findings_add(findings, "rdma_devices", NULL, FINDING_UNCHECKED,
				    geteuid() == 0
					    ? "Start the container, or run the doctor inside it"
					    : "Run the doctor as root on the node",
				    "the /dev of %s cannot be read", target->name);
	if (!doctor->all.n && doctor->node.char_devices < 0 && !doctor->node.recorded)
		return findings_add(
			findings, "rdma_devices", NULL, FINDING_UNCHECKED,
			"Mount sysfs; read-only is enough: mount -t sysfs -o ro sysfs /sys",
			"/sys is not sysfs, or has no dev/char, so that it shows no device");
	/* Warn, to be named the cause: the devices may be in another network namespace. */
	if (!doctor->all.n)
		return findings_add(
			findings, "rdma_devices", NULL, FINDING_WARN,
			target->container
				? REMEDY_REQUEST
				". If the pod has requested it, run the doctor on the node"
				: "If the node has RDMA hardware, load its driver: modprobe "
				  "mlx5_ib ib_uverbs",
			"there is no RDMA device: /sys/class/infiniband_verbs lists none");
	return findings_add(findings, "rdma_devices", NULL, FINDING_FAIL,
			    target->container
				    ? REMEDY_REQUEST
				    : "Load the driver that creates the files: modprobe ib_uverbs",
			    "there is no /dev/infiniband/uverbs* for %s; "
			    "/sys/class/infiniband_verbs has %zu device%s",
			    target->name, doctor->all.n, doctor->all.n == 1 ? "" : "s");
}

static int add_summary(const struct doctor *doctor, struct findings *findings)
{
	char names[NAMED_MAX * 72] = "";
	char more[32] = "";

	if (!doctor->files.n)
		return add_none(doctor, findings);
	/* The file is listed: the device was allocated. */
	if (doctor->files.n == doctor->files.n_refused)
		return findings_add(
			findings, "rdma_devices", NULL, FINDING_FAIL, trouble_open_remedy(EACCES),
			"%zu file%s in /dev/infiniband of %s, but what they are may not be looked "
			"at, so that libibverbs finds no device",
			doctor->files.n_refused, doctor->files.n_refused == 1 ? "" : "s",
			doctor->target.name);
	for (size_t i = 0; i < doctor->devices.n && i < NAMED_MAX; i++)
		text_add_item(names, sizeof(names), doctor->devices.item[i].ibdev);
	if (doctor->devices.n > NAMED_MAX)
		snprintf(more, sizeof(more), " and %zu more", doctor->devices.n - NAMED_MAX);
	return findings_add(findings, "rdma_devices", NULL, FINDING_OK, NULL,
			    "%zu of the %zu that sysfs shows: %s%s (/dev/infiniband)",
			    doctor->devices.n, doctor->all.n, names, more);
}

/* In the target's namespace, which exclusive mode checks (uverbs_main.c, ib_uverbs_open). */
static int add_open(const struct doctor *doctor, struct findings *findings,
		    const struct device_file *file, const char *path)
{
	cleanup_fd fd = -1;
	const char *where =
		doctor->target.pid ? ", opened from the node, in the node's network namespace" : "";

	if (doctor->node.recorded || doctor->target.root < 0)
		return findings_add(findings, "uverbs", path, FINDING_OK, NULL,
				    "%" PRId64 ":%" PRId64 " is %s (not opened: %s)", file->major,
				    file->minor, file->ibdev,
				    doctor->node.recorded ? "recorded" : "not running");
	fd = device_file_open(doctor->target.root, file);
	if (fd == -ESTALE)
		return findings_add(
			findings, "uverbs", path, FINDING_UNCHECKED,
			"Find out what changes the container's /dev, then run the doctor again",
			"the file was replaced after its number was read: not opened");
	if (fd < 0)
		return findings_add(findings, "uverbs", path, FINDING_FAIL,
				    trouble_open_remedy(-fd), "open(%s): %s", path, strerror(-fd));
	return findings_add(findings, "uverbs", path, FINDING_OK, NULL,
			    "%" PRId64 ":%" PRId64 " is %s, and opens%s", file->major, file->minor,
			    file->ibdev, where);
}

static int add_device_file(const struct doctor *doctor, struct findings *findings,
			   const struct device_file *file)
{
	char path[320];

	snprintf(path, sizeof(path), "/" DEVICE_DIR "/%s", file->name);
	if (file->refused)
		return findings_add(findings, "uverbs", path, FINDING_FAIL,
				    trouble_open_remedy(EACCES), "stat(%s): %s", path,
				    strerror(file->refused));
	if (!file->ibdev)
		return findings_add(
			findings, "uverbs", path, FINDING_FAIL, REMEDY_NUMBER,
			"its number %" PRId64 ":%" PRId64
			" belongs to no verbs device (/sys/dev/char): the device no longer exists, "
			"or has got another number since it was allocated",
			file->major, file->minor);
	if (strcmp(file->uverbs, file->name) != 0)
		return findings_add(findings, "uverbs", path, FINDING_FAIL, REMEDY_NUMBER,
				    "its number %" PRId64 ":%" PRId64
				    " is %s, %s (/sys/dev/char): libibverbs, which goes by the "
				    "name, gets another device",
				    file->major, file->minor, file->uverbs, file->ibdev);
	return add_open(doctor, findings, file, path);
}

static int add_rdma_cm(const struct doctor *doctor, struct findings *findings)
{
	if (doctor->files.rdma_cm)
		return findings_add(findings, "rdma_cm", NULL, FINDING_OK, NULL,
				    "/dev/infiniband/rdma_cm is there");
	return findings_add(findings, "rdma_cm", NULL, FINDING_WARN,
			    "Run modprobe rdma_ucm on the node, then restart the device plugin, "
			    "which adds the file to the pod (SR-IOV: \"isRdma\": true; podman: "
			    "--device /dev/infiniband/rdma_cm)",
			    "there is no /dev/infiniband/rdma_cm: NCCL does not need it, but "
			    "librdmacm does (perftest -R, UCX rdmacm, storage)");
}

static int add_allocation(const struct doctor *doctor, struct findings *findings,
			  const struct claim *claim)
{
	const struct devices *devices = &doctor->devices;

	for (size_t i = 0; i < devices->n; i++) {
		if (strcmp(devices->item[i].address, claim->address) == 0)
			return findings_add(findings, "allocation", claim->address, FINDING_OK,
					    NULL, "%s, allocated (%s)", devices->item[i].ibdev,
					    doctor->target.env_path);
	}
	return findings_add(
		findings, "allocation", claim->address, FINDING_FAIL, REMEDY_NUMBER,
		"allocated (PCIDEVICE_* or SRIOVNETWORK_* in %s), but no device file belongs to it",
		doctor->target.env_path);
}

int check_devices(const struct doctor *doctor, struct findings *findings)
{
	int status = doctor->node.recorded ? 0 : target_enter_network(&doctor->target);

	if (status < 0 &&
	    findings_add(findings, "uverbs", NULL, FINDING_UNCHECKED, "Run the doctor as root",
			 "the network namespace of %s cannot be entered: %s", doctor->target.name,
			 strerror(-status)) < 0)
		return -1;
	if (add_summary(doctor, findings) < 0)
		return -1;
	for (size_t i = 0; status == 0 && i < doctor->files.n; i++) {
		if (add_device_file(doctor, findings, &doctor->files.item[i]) < 0)
			return -1;
	}
	if (doctor->files.n && add_rdma_cm(doctor, findings) < 0)
		return -1;
	for (size_t i = 0; doctor->target.container && i < doctor->claims.n; i++) {
		if (add_allocation(doctor, findings, &doctor->claims.item[i]) < 0)
			return -1;
	}
	return 0;
}
