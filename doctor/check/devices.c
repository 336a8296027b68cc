/* SPDX-License-Identifier: Apache-2.0 */
/* The device files that libibverbs opens, and what they are */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/text.h"
#include "doctor/check/check.h"

#define REMEDY_NUMBER                                                                              \
	"Delete the pod, so that it is allocated again; in exclusive RDMA mode move the device "   \
	"before the device plugin allocates it"

/* That are named in a line */
#define NAMES_MAX 16

/* ---- whether there is any ---- */

static int add_none(const struct doctor *doctor, struct findings *findings)
{
	const struct target *target = &doctor->target;

	if (!doctor->files.readable)
		return findings_add(findings, "rdma_devices", NULL, FINDING_UNCHECKED,
				    geteuid() == 0 ? "Run it in the container, or start that"
						   : "Run it as root on the node",
				    "the /dev of %s cannot be looked at", target->name);
	if (!doctor->all.n && doctor->node.char_devices < 0 && !doctor->node.recorded)
		return findings_add(
			findings, "rdma_devices", NULL, FINDING_UNCHECKED,
			"Mount it, read-only will do: mount -t sysfs -o ro sysfs /sys",
			"/sys is not sysfs, or has no dev/char: no device can be looked "
			"up");
	if (!doctor->all.n)
		return findings_add(findings, "rdma_devices", NULL, FINDING_UNCHECKED,
				    "Without RDMA hardware nothing is to be done; else load its "
				    "driver: modprobe mlx5_ib ib_uverbs",
				    "no RDMA device here: /sys/class/infiniband_verbs lists none");
	return findings_add(findings, "rdma_devices", NULL, FINDING_FAIL,
			    target->container
				    ? "Request it: resources.limits of the pod, or podman "
				      "--device /dev/infiniband/uverbsN"
				    : "Load the driver of the files: modprobe ib_uverbs",
			    "no /dev/infiniband/uverbs* for %s; /sys/class/infiniband_verbs has "
			    "%zu device%s",
			    target->name, doctor->all.n, doctor->all.n == 1 ? "" : "s");
}

static int add_list(const struct doctor *doctor, struct findings *findings)
{
	char names[NAMES_MAX * 72] = "";
	size_t len = 0;
	size_t i;

	for (i = 0; i < doctor->devices.n && i < NAMES_MAX; i++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "",
					doctor->devices.item[i].ibdev);
	if (i < doctor->devices.n)
		(void)snprintf(names + len, sizeof(names) - len, " and %zu more",
			       doctor->devices.n - i);
	return findings_add(findings, "rdma_devices", NULL, FINDING_OK, NULL,
			    "%zu of the %zu that sysfs shows: %s (/dev/infiniband)",
			    doctor->devices.n, doctor->all.n, names);
}

/* ---- each file ---- */

static int add_open_error(struct findings *findings, const char *path, int errnum)
{
	const char *remedy = "See dmesg: the driver does not let it be opened";

	if (errnum == ESTALE)
		return findings_add(findings, "uverbs", path, FINDING_UNCHECKED,
				    "See who changes the container's /dev, then run it again",
				    "another file stands there since its number was read; it was "
				    "not opened");
	if (errnum == EPERM)
		remedy = "Request the device, so that the device cgroup allows it; in exclusive "
			 "RDMA mode it must be moved into the pod (rdma-cni)";
	else if (errnum == EACCES)
		remedy = "Mode or SELinux refuses it: ls -lZ /dev/infiniband, ausearch -m avc; if "
			 "it is the host's own node (infiniband_device_t): setsebool -P "
			 "container_use_devices 1";
	else if (errnum == ENXIO || errnum == ENODEV || errnum == EIO)
		remedy = "The device has gone: see dmesg, reload its driver";
	return findings_add(findings, "uverbs", path, FINDING_FAIL, remedy, "open(%s): %s", path,
			    strerror(errnum));
}

/* From the target's network namespace, since exclusive mode asks for that one
 * (drivers/infiniband/core/uverbs_main.c, ib_uverbs_open). */
static int add_open(const struct doctor *doctor, struct findings *findings,
		    const struct device_file *file, const char *path)
{
	cleanup_fd fd = -1;
	const char *where = doctor->target.pid ? ", opened from the node, in its network" : "";

	if (doctor->node.recorded || doctor->target.root < 0)
		return findings_add(findings, "uverbs", path, FINDING_OK, NULL,
				    "%" PRId64 ":%" PRId64 " is %s (not opened: %s)", file->major,
				    file->minor, file->ibdev,
				    doctor->node.recorded ? "recorded" : "not running");
	fd = device_file_open(doctor->target.root, file);
	if (fd < 0)
		return add_open_error(findings, path, -fd);
	return findings_add(findings, "uverbs", path, FINDING_OK, NULL,
			    "%" PRId64 ":%" PRId64 " is %s, and opens%s", file->major, file->minor,
			    file->ibdev, where);
}

static int add_file(const struct doctor *doctor, struct findings *findings,
		    const struct device_file *file)
{
	char path[320];

	(void)snprintf(path, sizeof(path), "/" DEVICE_DIR "/%s", file->name);
	if (!file->ibdev)
		return findings_add(findings, "uverbs", path, FINDING_FAIL, REMEDY_NUMBER,
				    "its number %" PRId64 ":%" PRId64
				    " is no verbs device (/sys/dev/char): it has gone, or got "
				    "another number since it was allocated",
				    file->major, file->minor);
	if (strcmp(file->uverbs, file->name) != 0)
		return findings_add(findings, "uverbs", path, FINDING_FAIL, REMEDY_NUMBER,
				    "its number %" PRId64 ":%" PRId64
				    " is %s, %s (/sys/dev/char): libibverbs opens by name, and "
				    "gets another device",
				    file->major, file->minor, file->uverbs, file->ibdev);
	return add_open(doctor, findings, file, path);
}

/* A pod's container, by what the kubelet and the device plugins put into each one's environment */
static bool is_of_pod(const struct target *target)
{
	if (target->has_spec && target->spec.identity.pod)
		return true;
	for (size_t i = 0; i < target->n_env; i++) {
		if (text_starts_with(target->env[i], "KUBERNETES_SERVICE_HOST=") ||
		    text_starts_with(target->env[i], "PCIDEVICE_"))
			return true;
	}
	return false;
}

/* A pod's author cannot add a device file: its device plugin does, when the module is loaded. */
static const char *remedy_rdma_cm(const struct target *target)
{
	if (!target->container)
		return "modprobe rdma_ucm";
	if (is_of_pod(target))
		return "modprobe rdma_ucm on the node, then restart the device plugin, which hands "
		       "the file out (SR-IOV: \"isRdma\": true), and the pod";
	return "modprobe rdma_ucm on the host; podman: --device /dev/infiniband/rdma_cm";
}

static int add_rdma_cm(const struct doctor *doctor, struct findings *findings)
{
	if (doctor->files.rdma_cm)
		return findings_add(findings, "rdma_cm", NULL, FINDING_OK, NULL,
				    "/dev/infiniband/rdma_cm is there");
	return findings_add(findings, "rdma_cm", NULL, FINDING_WARN,
			    remedy_rdma_cm(&doctor->target),
			    "no /dev/infiniband/rdma_cm: NCCL goes without, librdmacm (perftest "
			    "-R, UCX rdmacm, storage) does not");
}

/* ---- what the environment says ---- */

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
	return findings_add(findings, "allocation", claim->address, FINDING_FAIL, REMEDY_NUMBER,
			    "allocated (PCIDEVICE_* or SRIOVNETWORK_* in %s), but none of the "
			    "device files is of it",
			    doctor->target.env_path);
}

int check_devices(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	int status = doctor->node.recorded ? 0 : target_enter_network(&doctor->target);

	if (status < 0 &&
	    findings_add(findings, "uverbs", NULL, FINDING_UNCHECKED, "Run it as root",
			 "the network namespace of %s cannot be entered: %s", doctor->target.name,
			 strerror(-status)) < 0)
		return err_memory(err);
	if ((doctor->files.n ? add_list(doctor, findings) : add_none(doctor, findings)) < 0)
		return err_memory(err);
	for (size_t i = 0; status == 0 && i < doctor->files.n; i++) {
		if (add_file(doctor, findings, &doctor->files.item[i]) < 0)
			return err_memory(err);
	}
	if (doctor->files.n && add_rdma_cm(doctor, findings) < 0)
		return err_memory(err);
	for (size_t i = 0; doctor->target.container && i < doctor->claims.n; i++) {
		if (add_allocation(doctor, findings, &doctor->claims.item[i]) < 0)
			return err_memory(err);
	}
	return 0;
}
