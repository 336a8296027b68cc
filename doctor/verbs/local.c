/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of what this machine can try by itself: registration, and transfers between its ports.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "doctor/verbs/amount.h"
#include "doctor/verbs/registration.h"
#include "doctor/verbs/setup.h"

#define REGISTER_DEFAULT ((size_t)256 << 20)

/* Queues count, too, and there are two buffers: an eighth of the limit for each leaves room. */
#define SHARE 8
#define BYTES_MIN ((size_t)4096)

/* ---- registration ---- */

static int found_refused(struct run *run, const char *subject, const struct registration *found,
			 rlim_t soft)
{
	const char *remedy = trouble_register_remedy(found->errnum);
	char name[24];
	char most[AMOUNT_SIZE] = "nothing";
	char refused[AMOUNT_SIZE];
	char limit[AMOUNT_SIZE];

	if (found->most)
		(void)amount_text(found->most, most);
	if (found->errnum == ENOMEM && soft == RLIM_INFINITY)
		remedy = "not memlock, that is unlimited: the device or the memory cgroup refuses; "
			 "see the kernel log";
	return findings_add(run->findings, "verbs_register", subject, FINDING_FAIL, remedy,
			    "ibv_reg_mr: %s ok, %s %s; RLIMIT_MEMLOCK soft %s", most,
			    amount_text(found->refused, refused),
			    trouble_errno_name(found->errnum, name), amount_limit(soft, limit));
}

static int found_registration(struct run *run, const char *subject,
			      const struct registration *found)
{
	struct rlimit limit = {0};
	char most[AMOUNT_SIZE];
	char soft[AMOUNT_SIZE];

	(void)getrlimit(RLIMIT_MEMLOCK, &limit);
	if (found->refused)
		return found_refused(run, subject, found, limit.rlim_cur);
	return findings_add(run->findings, "verbs_register", subject, FINDING_OK, NULL,
			    "ibv_reg_mr: %s ok; RLIMIT_MEMLOCK soft %s%s",
			    amount_text(found->most, most), amount_limit(limit.rlim_cur, soft),
			    limit.rlim_cur < found->most ? ", which CAP_IPC_LOCK goes past" : "");
}

/* No more than the device says that it can */
static size_t most_of(const struct verbs_device *device, size_t wanted)
{
	size_t max = wanted < REGISTRATION_MAX ? wanted : REGISTRATION_MAX;
	uint64_t device_max = device->attr.max_mr_size;

	return device_max && device_max < max ? (size_t)device_max : max;
}

int local_registration(struct run *run)
{
	size_t wanted = run->options->register_max ? run->options->register_max : REGISTER_DEFAULT;

	for (size_t i = 0; i < run->devices->n; i++) {
		const struct verbs_device *device = &run->devices->item[i];
		struct registration found;
		struct trouble trouble;
		char amount[AMOUNT_SIZE];
		size_t max = most_of(device, wanted);
		int status;

		if (!device->context)
			continue;
		run_progress(run, "%s: registering up to %s", device->name,
			     amount_text(max, amount));
		if (registration_probe(run->verbs, device, max, &found, &trouble) < 0) {
			status = findings_add(run->findings, "verbs_register", device->name,
					      FINDING_FAIL, trouble_remedy(&trouble), "%s",
					      trouble.text);
		} else {
			status = found_registration(run, device->name, &found);
			while (run->bytes > BYTES_MIN && run->bytes > found.most / SHARE)
				run->bytes /= 2;
		}
		if (status < 0)
			return -1;
	}
	return 0;
}

/* ---- transfers ---- */

static int transfer(const struct run *run, const struct verbs_device *from,
		    const struct verbs_device *to, struct transfer_result *ret_result,
		    struct trouble *trouble)
{
	cleanup_endpoint out = {0};
	cleanup_endpoint in = {0};

	if (endpoint_open(run->verbs, from, run->bytes, &out, trouble) < 0 ||
	    endpoint_open(run->verbs, to, run->bytes, &in, trouble) < 0)
		return -1;
	return transfer_between(&out, &in, ret_result, trouble);
}

static int try(struct run *run, const char *id, const char *subject,
	       const struct verbs_device *from, const struct verbs_device *to)
{
	struct transfer_result result;
	char text[RUN_RESULT_SIZE];
	struct trouble trouble;

	run_progress(run, "%s: transfer", subject);
	if (transfer(run, from, to, &result, &trouble) < 0)
		return findings_add(run->findings, id, subject, FINDING_FAIL,
				    trouble_remedy(&trouble), "%s", trouble.text);
	return findings_add(run->findings, id, subject, FINDING_OK, NULL, "%s; data verified",
			    run_result_text(&result, text));
}

int local_loopback(struct run *run)
{
	for (size_t i = 0; i < run->devices->n; i++) {
		const struct verbs_device *device = &run->devices->item[i];
		int status = 0;

		if (device->used)
			status = try(run, "verbs_loopback", device->name, device, device);
		else if (device->context)
			status = findings_add(run->findings, "verbs_loopback", device->name,
					      FINDING_UNCHECKED, "see the verbs_port findings",
					      "no port is ACTIVE with a GID or LID");
		if (status < 0)
			return -1;
	}
	return 0;
}

int local_pairs(struct run *run)
{
	const struct verbs_devices *devices = run->devices;

	for (size_t i = 0; i < devices->n * devices->n; i++) {
		const struct verbs_device *from = &devices->item[i / devices->n];
		const struct verbs_device *to = &devices->item[i % devices->n];
		char subject[160];

		if (from == to || !from->used || !to->used ||
		    from->used->infiniband != to->used->infiniband)
			continue;
		(void)snprintf(subject, sizeof(subject), "%s -> %s", from->name, to->name);
		if (try(run, "verbs_pair", subject, from, to) < 0)
			return -1;
	}
	return 0;
}
