/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "doctor/process/progress.h"
#include "doctor/verbs/amount.h"
#include "doctor/verbs/registration.h"
#include "doctor/verbs/setup.h"
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

static int add_registration(struct verbs_setup *setup, const char *subject,
			    const struct registration *found)
{
	const char *remedy = setup_register_remedy(setup, found->errnum);
	struct rlimit limit = {0};
	char most[AMOUNT_SIZE] = "nothing";
	char refused[AMOUNT_SIZE];
	char soft[AMOUNT_SIZE];
	char name[24];

	(void)getrlimit(RLIMIT_MEMLOCK, &limit);
	(void)amount_limit(limit.rlim_cur, soft);
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
		progress_say("%s: registering memory", device->name);
		if (registration_probe(setup->verbs, device, &found, &trouble) < 0) {
			status = findings_add(setup->findings, "verbs_register", device->name,
					      FINDING_FAIL, setup_remedy(setup, &trouble), "%s",
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

		progress_say("%s: transfer", device->name);
		if (!device->used && device->context)
			status = findings_add(setup->findings, "verbs_loopback", device->name,
					      FINDING_UNCHECKED, "see the port and gid findings",
					      "no port is ACTIVE with a GID or LID");
		else if (device->used && transfer_within(setup, device, &result, &trouble) < 0)
			status = findings_add(setup->findings, "verbs_loopback", device->name,
					      FINDING_FAIL, setup_remedy(setup, &trouble), "%s",
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

static int find(struct verbs_setup *setup)
{
	if (inventory_find(setup) < 0 || register_memory(setup) < 0)
		return -1;
	if (setup->options->listen)
		return pods_listen(setup);
	return setup->options->connect ? pods_connect(setup) : loop_back(setup);
}

int verbs_check(struct findings *findings, const struct verbs_options *options, struct err *err)
{
	struct verbs verbs;
	cleanup_verbs_devices devices = {0};
	struct verbs_setup setup = {
		.verbs = &verbs,
		.options = options,
		.findings = findings,
		.devices = &devices,
		.bytes = BYTES_DEFAULT,
	};
	int more;

	progress_say("opening the verbs devices");
	more = setup_open(findings, options, &verbs, &devices);
	if (more > 0)
		more = find(&setup);
	return more < 0 ? err_memory(err) : 0;
}
