/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "doctor/verbs/pods.h"
#include "doctor/verbs/registration.h"
#include "doctor/verbs/transfer.h"
#include "lib/limits.h"

#define BYTES_DEFAULT ((size_t)1 << 20)
#define BYTES_MIN ((size_t)4096)

/* For two buffers and queues, in whole pages (of 64 KiB, a limit below 512 KiB leaves none) */
#define SHARE 8

/* libibverbs omits driverless devices and fails with ENOENT if a file does not open: open it. */
static int add_closed(struct verbs_setup *setup, const struct device *device,
		      const struct verbs_device *listed, size_t *absent)
{
	char path[64];
	char name[24];
	cleanup_fd file = -1;
	int error;

	snprintf(path, sizeof(path), "/dev/infiniband/%s", device->uverbs);
	file = open(path, O_RDWR | O_CLOEXEC);
	error = file < 0 ? errno : 0;
	if (error == ENOENT && !listed) {
		++*absent;
		return 0;
	}
	if (error)
		return findings_add(setup->findings, "verbs_open", device->ibdev, FINDING_FAIL,
				    trouble_open_remedy(error), "%s: %s (%s)%s", path,
				    trouble_errno_name(error, name), strerror(error),
				    listed ? "" : ", and not in libibverbs' list");
	if (listed)
		return findings_add(
			setup->findings, "verbs_open", device->ibdev, FINDING_FAIL,
			trouble_open_remedy(listed->open_errno), "ibv_open_device: %s (%s)",
			trouble_errno_name(listed->open_errno, name), strerror(listed->open_errno));
	return findings_add(setup->findings, "verbs_open", device->ibdev, FINDING_FAIL,
			    "the image lacks the HCA's userspace driver: install ibverbs-providers "
			    "(Debian), libibverbs (RHEL), or the vendor's rdma-core",
			    "%s opens, but libibverbs does not list it", path);
}

/* absent: without a file here */
static int add_list(struct verbs_setup *setup, size_t absent)
{
	const struct verbs_devices *devices = setup->devices;
	const char *only = setup->doctor->options.device;
	size_t all = setup->doctor->all.n;
	char names[1024] = "";

	for (size_t i = 0; i < devices->n; i++)
		text_add_item(names, sizeof(names), devices->item[i].name);
	if (devices->n)
		return findings_add(setup->findings, "verbs_devices", NULL, FINDING_OK, NULL,
				    "libibverbs lists %zu of %zu: %s", devices->n, all, names);
	if (only)
		return findings_add(setup->findings, "verbs_devices", only, FINDING_FAIL,
				    "ls /sys/class/infiniband shows the names",
				    "libibverbs lists no such device");
	if (!all)
		return findings_add(setup->findings, "verbs_devices", NULL, FINDING_UNCHECKED,
				    "load the HCA's driver on the node",
				    "there is no verbs device (/sys/class/infiniband_verbs)");
	return findings_add(setup->findings, "verbs_devices", NULL, FINDING_FAIL,
			    "request a device plugin's RDMA resource in the container's limits",
			    "libibverbs lists none of %zu verbs devices; %zu have no file here",
			    all, absent);
}

/* Checks report their ports, from sysfs. */
static int add_devices(struct verbs_setup *setup)
{
	const struct doctor *doctor = setup->doctor;
	size_t absent = 0;

	for (size_t i = 0; i < doctor->all.n; i++) {
		const struct device *device = &doctor->all.item[i];
		const struct verbs_device *listed = NULL;
		int status = 0;

		for (size_t k = 0; k < setup->devices->n && !listed; k++) {
			if (strcmp(setup->devices->item[k].name, device->ibdev) == 0)
				listed = &setup->devices->item[k];
		}
		if (listed && listed->context)
			status = findings_add(setup->findings, "verbs_open", device->ibdev,
					      FINDING_OK, NULL, "opened; firmware %s, %u port%s",
					      listed->attr.fw_ver[0] ? listed->attr.fw_ver
								     : "unknown",
					      listed->attr.phys_port_cnt,
					      listed->attr.phys_port_cnt == 1 ? "" : "s");
		else if (verbs_device_match(doctor->options.device, device->ibdev) >= 0)
			status = add_closed(setup, device, listed, &absent);
		if (status < 0)
			return -1;
	}
	return add_list(setup, absent);
}

static int add_registration(struct verbs_setup *setup, const char *subject,
			    const struct registration *found)
{
	struct trouble trouble;
	const char *remedy;
	struct rlimit limit = {0};
	char most[LIMITS_TEXT_SIZE] = "nothing";
	char refused[LIMITS_TEXT_SIZE];
	char soft[LIMITS_TEXT_SIZE];
	char name[24];

	(void)getrlimit(RLIMIT_MEMLOCK, &limit);
	(void)limits_text(limit.rlim_cur, soft);
	if (found->most)
		(void)limits_text(found->most, most);
	if (!found->refused)
		return findings_add(setup->findings, "verbs_register", subject, FINDING_OK, NULL,
				    "ibv_reg_mr: %s ok; RLIMIT_MEMLOCK soft %s%s", most, soft,
				    limit.rlim_cur < found->most ? ", which CAP_IPC_LOCK goes past"
								 : "");
	trouble_call(&trouble, found->errnum, "ibv_reg_mr");
	remedy = trouble_remedy(&trouble);
	if (setup->exec && (found->errnum == ENOMEM || found->errnum == EPERM))
		remedy = "process 1 has a higher RLIMIT_MEMLOCK: an exec gets the engine's. Start "
			 "it as the main process, or use the runtime shim (runtimeClassName: rdma) "
			 "or the NRI plugin";
	else if (found->errnum == ENOMEM && limit.rlim_cur == RLIM_INFINITY)
		remedy = "memlock is unlimited and not the cause: the device or the memory cgroup "
			 "refuses; the kernel log says which";
	return findings_add(setup->findings, "verbs_register", subject, FINDING_FAIL, remedy,
			    "ibv_reg_mr: %s ok, %s %s; RLIMIT_MEMLOCK soft %s", most,
			    limits_text(found->refused, refused),
			    trouble_errno_name(found->errnum, name), soft);
}

/* Sets setup->bytes */
static int register_memory(struct verbs_setup *setup)
{
	for (size_t i = 0; i < setup->devices->n; i++) {
		const struct verbs_device *device = &setup->devices->item[i];
		struct registration found = {0};
		struct trouble trouble;
		int status;

		if (!device->context)
			continue;
		if (registration_probe(setup->verbs, device, &found, &trouble) < 0) {
			status = findings_add(setup->findings, "verbs_register", device->name,
					      FINDING_FAIL, trouble_remedy(&trouble), "%s",
					      trouble.text);
		} else {
			status = add_registration(setup, device->name, &found);
			while (setup->bytes > BYTES_MIN && setup->bytes > found.most / SHARE)
				setup->bytes /= 2;
		}
		if (status < 0)
			return -1;
	}
	return 0;
}

static int open_devices(const struct verbs_setup *setup, struct verbs *verbs)
{
	struct findings *findings = setup->findings;
	struct err reason;
	int error;

	if (verbs_load(verbs, &reason) < 0)
		return findings_add(
			findings, "verbs_library", NULL, FINDING_UNCHECKED,
			"install libibverbs1 ibverbs-providers (Debian) or libibverbs (RHEL)", "%s",
			reason.text);
	if (verbs_devices_open(verbs, setup->doctor, findings->arena, setup->devices, &error) == 0)
		return 1;
	if (!error)
		return -1;
	return findings_add(findings, "verbs_library", NULL, FINDING_UNCHECKED,
			    "load ib_uverbs and the HCA's driver on the node",
			    "libibverbs.so.1 is here, but ibv_get_device_list fails: %s",
			    strerror(error));
}

int verbs_check(struct findings *findings, const struct doctor *doctor, bool exec)
{
	struct verbs verbs;
	cleanup_verbs_devices devices = {0};
	struct verbs_setup setup = {
		.verbs = &verbs,
		.doctor = doctor,
		.exec = exec,
		.findings = findings,
		.devices = &devices,
		.bytes = BYTES_DEFAULT,
	};
	int more = open_devices(&setup, &verbs);

	if (more <= 0)
		return more;
	if (findings_add(findings, "verbs_library", NULL, FINDING_OK, NULL,
			 "libibverbs.so.1 is here") < 0 ||
	    add_devices(&setup) < 0 || register_memory(&setup) < 0)
		return -1;
	if (doctor->options.listen)
		return pods_listen(&setup);
	return doctor->options.connect ? pods_connect(&setup) : 0;
}
