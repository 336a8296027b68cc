/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "doctor/verbs/transfer.h"

#define BYTES_DEFAULT ((size_t)1 << 20)
#define BYTES_MIN ((size_t)4096)

/*
 * Queues also count, and there are two buffers: an eighth of the limit for each leaves room. Each
 * counts whole pages, so that on a kernel with pages of 64 KiB a limit below half a MiB leaves
 * none; that limit is a finding of its own.
 */
#define SHARE 8

/* ---- registration ---- */

static const char *register_remedy(const struct verbs_setup *setup, int errnum)
{
	if (setup->exec && (errnum == ENOMEM || errnum == EPERM))
		return "process 1 has a higher RLIMIT_MEMLOCK: an exec gets the engine's. Start it "
		       "as the main process, or use the runtime shim (runtimeClassName: rdma) or "
		       "the NRI plugin";
	return trouble_register_remedy(errnum);
}

const char *verbs_remedy(const struct verbs_setup *setup, const struct trouble *trouble)
{
	const char *general = trouble_remedy(trouble);

	return general == trouble_register_remedy(ENOMEM) ? register_remedy(setup, ENOMEM)
							  : general;
}

static int add_registration(struct verbs_setup *setup, const char *subject,
			    const struct registration *found)
{
	const char *remedy = register_remedy(setup, found->errnum);
	struct rlimit limit = {0};
	char most[AMOUNT_SIZE] = "nothing";
	char refused[AMOUNT_SIZE];
	char soft[AMOUNT_SIZE] = "unlimited";
	char name[24];

	(void)getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur != RLIM_INFINITY)
		(void)amount_text(limit.rlim_cur, soft);
	if (found->most)
		(void)amount_text(found->most, most);
	if (!found->refused)
		return findings_add(setup->findings, "verbs_register", subject, FINDING_OK, NULL,
				    "ibv_reg_mr: %s ok; RLIMIT_MEMLOCK soft %s%s", most, soft,
				    limit.rlim_cur < found->most ? ", which CAP_IPC_LOCK goes past"
								 : "");
	if (found->errnum == ENOMEM && limit.rlim_cur == RLIM_INFINITY)
		remedy = "memlock is unlimited and not the cause: the device or the memory cgroup "
			 "refuses; the kernel log says which";
	return findings_add(setup->findings, "verbs_register", subject, FINDING_FAIL, remedy,
			    "ibv_reg_mr: %s ok, %s %s; RLIMIT_MEMLOCK soft %s", most,
			    amount_text(found->refused, refused),
			    trouble_errno_name(found->errnum, name), soft);
}

/* With each device; sets setup->bytes */
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
					      FINDING_FAIL, verbs_remedy(setup, &trouble), "%s",
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

/* ---- transfers within a device ---- */

static int transfer_within(const struct verbs_setup *setup, const struct verbs_device *device,
			   struct transfer_result *ret_result, struct trouble *trouble)
{
	cleanup_endpoint out = {0};
	cleanup_endpoint in = {0};

	if (endpoint_open(setup->verbs, device, setup->bytes, &out, trouble) < 0 ||
	    endpoint_open(setup->verbs, device, setup->bytes, &in, trouble) < 0)
		return -1;
	return transfer_between(&out, &in, ret_result, trouble);
}

static int loop_back(struct verbs_setup *setup)
{
	for (size_t i = 0; i < setup->devices->n; i++) {
		const struct verbs_device *device = &setup->devices->item[i];
		struct transfer_result result;
		char text[TRANSFER_TEXT_SIZE];
		struct trouble trouble;
		int status = 0;

		if (!device->used && device->context)
			status = findings_add(setup->findings, "verbs_loopback", device->name,
					      FINDING_UNCHECKED, "see the port and gid findings",
					      "no port is ACTIVE with a GID or LID");
		else if (device->used && transfer_within(setup, device, &result, &trouble) < 0)
			status = findings_add(setup->findings, "verbs_loopback", device->name,
					      FINDING_FAIL, verbs_remedy(setup, &trouble), "%s",
					      trouble.text);
		else if (device->used)
			status = findings_add(setup->findings, "verbs_loopback", device->name,
					      FINDING_OK, NULL, "%s; data verified",
					      transfer_result_text(&result, text));
		if (status < 0)
			return -1;
	}
	return 0;
}

/* ---- all of it ---- */

/* Returns 1, 0 if there is nothing to go on with (a finding says why), or -1. */
static int open_devices(const struct verbs_setup *setup, struct verbs *verbs)
{
	struct findings *findings = setup->findings;
	struct err reason;
	int error;

	if (verbs_load(verbs, &reason) < 0)
		return findings_add(findings, "verbs_library", NULL, FINDING_UNCHECKED,
				    "install libibverbs (Debian: libibverbs1 ibverbs-providers; "
				    "RHEL: libibverbs)",
				    "%s", reason.text);
	if (verbs_devices_open(verbs, findings->arena, setup->options->device, setup->devices,
			       &error) == 0)
		return 1;
	if (!error)
		return -1;
	return findings_add(findings, "verbs_library", NULL, FINDING_UNCHECKED,
			    "load ib_uverbs and the HCA's driver on the node",
			    "libibverbs.so.1 is here, but ibv_get_device_list fails: %s",
			    strerror(error));
}

static int try_all(struct verbs_setup *setup)
{
	if (inventory_find(setup) < 0 || register_memory(setup) < 0)
		return -1;
	if (setup->options->listen)
		return pods_listen(setup);
	return setup->options->connect ? pods_connect(setup) : loop_back(setup);
}

int verbs_check(struct findings *findings, const struct doctor_options *options, bool exec,
		struct err *err)
{
	struct verbs verbs;
	cleanup_verbs_devices devices = {0};
	struct verbs_setup setup = {
		.verbs = &verbs,
		.options = options,
		.exec = exec,
		.findings = findings,
		.devices = &devices,
		.bytes = BYTES_DEFAULT,
	};
	int more = open_devices(&setup, &verbs);

	if (more > 0)
		more = try_all(&setup);
	return more < 0 ? err_memory(err) : 0;
}
