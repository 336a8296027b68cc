/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "doctor/verbs/transfer.h"

/* ---- how much memory can be registered ---- */

/*
 * The kernel counts pinned pages by their number in the range, not by what they are
 * (ib_umem_get, drivers/infiniband/core/umem.c). So a range that shows the same few pages again
 * and again finds the limit, and no container is killed for memory on the way. A page's reference
 * count bears 2^21 pins; here it gets REGISTRATION_MAX / ALIAS = 2^14.
 */
#define ALIAS ((size_t)4 << 20)

struct range {
	char *start;
	size_t size;
};

static void unmap(struct range *range)
{
	if (range->start)
		(void)munmap(range->start, range->size);
}

struct probe {
	const struct verbs *verbs;
	struct ibv_pd *pd;
	int memory; /* memfd of ALIAS bytes */
	struct range range;
	size_t mapped;
};

/* Shows the memfd in the range, up to bytes. */
static int map_up_to(struct probe *probe, size_t bytes)
{
	while (probe->mapped < bytes) {
		size_t left = probe->range.size - probe->mapped;
		size_t size = left < ALIAS ? left : ALIAS;

		if (mmap(probe->range.start + probe->mapped, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, probe->memory, 0) == MAP_FAILED)
			return errno;
		probe->mapped += size;
	}
	return 0;
}

static int attempt(void *context, size_t bytes)
{
	struct probe *probe = context;
	struct ibv_mr *mr;
	int error = map_up_to(probe, bytes);

	if (error)
		return error;
	errno = 0;
	mr = probe->verbs->reg_mr(probe->pd, probe->range.start, bytes,
				  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!mr)
		return errno ? errno : EIO;
	return probe->verbs->dereg_mr(mr);
}

struct registration registration_search(int (*try)(void *context, size_t bytes), void *context,
					size_t page, size_t max)
{
	struct registration found = {0};

	max -= max % page;
	for (size_t size = page; size <= max && !found.refused;) {
		found.errnum = try(context, size);
		if (found.errnum)
			found.refused = size;
		else
			found.most = size;
		if (size == max)
			break;
		size = size > max / 2 ? max : size * 2;
	}
	while (found.refused > found.most + page) {
		size_t middle = found.most + (found.refused - found.most) / 2;
		int error;

		middle -= middle % page;
		error = try(context, middle);
		if (error) {
			found.refused = middle;
			found.errnum = error;
		} else {
			found.most = middle;
		}
	}
	return found;
}

/*
 * One MR that grows up to max bytes. Needs 4 MiB of memory, whatever max is. -1: it could not be
 * tried; *trouble says why.
 */
static int registration_probe(const struct verbs *verbs, const struct verbs_device *device,
			      size_t max, struct registration *ret_registration,
			      struct trouble *trouble)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	cleanup_fd memory = memfd_create("oci-rdma-doctor", MFD_CLOEXEC);
	struct probe probe = {.verbs = verbs, .memory = memory};
	__attribute__((cleanup(unmap))) struct range range = {.size = max};

	if (memory < 0 || ftruncate(memory, ALIAS) < 0)
		return trouble_call(trouble, errno, "memfd_create");
	/* Only the addresses: no memory stands behind them, none is promised. */
	range.start =
		mmap(NULL, max, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (range.start == MAP_FAILED) {
		range.start = NULL;
		return trouble_call(trouble, errno, "mmap");
	}
	probe.range = range;
	probe.pd = verbs->alloc_pd(device->context);
	if (!probe.pd)
		return trouble_call(trouble, errno, "ibv_alloc_pd");
	*ret_registration = registration_search(attempt, &probe, page, max);
	(void)verbs->dealloc_pd(probe.pd);
	return 0;
}

/* ---- findings ---- */

#define REGISTER_DEFAULT ((size_t)256 << 20)

/*
 * Queues also count, and there are two buffers: an eighth of the limit for each leaves room. Each
 * counts whole pages, so that on a kernel with pages of 64 KiB a limit below half a MiB leaves
 * none; that limit is a finding of its own.
 */
#define SHARE 8
#define BYTES_MIN ((size_t)4096)

/* ---- registration ---- */

static int found_refused(struct verbs_setup *setup, const char *subject,
			 const struct registration *found, rlim_t soft)
{
	const char *remedy = verbs_setup_register_remedy(setup, found->errnum);
	char name[24];
	char most[AMOUNT_SIZE] = "nothing";
	char refused[AMOUNT_SIZE];
	char limit[AMOUNT_SIZE];

	if (found->most)
		(void)amount_text(found->most, most);
	if (found->errnum == ENOMEM && soft == RLIM_INFINITY)
		remedy = "memlock is unlimited and not the cause: the device or the memory cgroup "
			 "refuses; the kernel log says which";
	return findings_add(setup->findings, "verbs_register", subject, FINDING_FAIL, remedy,
			    "ibv_reg_mr: %s ok, %s %s; RLIMIT_MEMLOCK soft %s", most,
			    amount_text(found->refused, refused),
			    trouble_errno_name(found->errnum, name), amount_limit(soft, limit));
}

static int found_registration(struct verbs_setup *setup, const char *subject,
			      const struct registration *found)
{
	struct rlimit limit = {0};
	char most[AMOUNT_SIZE];
	char soft[AMOUNT_SIZE];

	(void)getrlimit(RLIMIT_MEMLOCK, &limit);
	if (found->refused)
		return found_refused(setup, subject, found, limit.rlim_cur);
	return findings_add(setup->findings, "verbs_register", subject, FINDING_OK, NULL,
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

int local_registration(struct verbs_setup *setup)
{
	size_t wanted =
		setup->options->register_max ? setup->options->register_max : REGISTER_DEFAULT;

	for (size_t i = 0; i < setup->devices->n; i++) {
		const struct verbs_device *device = &setup->devices->item[i];
		struct registration found = {0};
		struct trouble trouble;
		char amount[AMOUNT_SIZE];
		size_t max = most_of(device, wanted);
		int status;

		if (!device->context)
			continue;
		verbs_setup_say(setup, "%s: registering up to %s", device->name,
				amount_text(max, amount));
		if (registration_probe(setup->verbs, device, max, &found, &trouble) < 0) {
			status = findings_add(setup->findings, "verbs_register", device->name,
					      FINDING_FAIL, verbs_setup_remedy(setup, &trouble),
					      "%s", trouble.text);
		} else {
			status = found_registration(setup, device->name, &found);
			while (setup->bytes > BYTES_MIN && setup->bytes > found.most / SHARE)
				setup->bytes /= 2;
		}
		if (status < 0)
			return -1;
	}
	return 0;
}

/* ---- transfers ---- */

static int transfer(const struct verbs_setup *setup, const struct verbs_device *from,
		    const struct verbs_device *to, struct transfer_result *ret_result,
		    struct trouble *trouble)
{
	cleanup_endpoint out = {0};
	cleanup_endpoint in = {0};

	if (endpoint_open(setup->verbs, from, setup->bytes, &out, trouble) < 0 ||
	    endpoint_open(setup->verbs, to, setup->bytes, &in, trouble) < 0)
		return -1;
	return transfer_between(&out, &in, ret_result, trouble);
}

static int try(struct verbs_setup *setup, const char *id, const char *subject,
	       const struct verbs_device *from, const struct verbs_device *to)
{
	struct transfer_result result;
	char text[TRANSFER_TEXT_SIZE];
	struct trouble trouble;

	verbs_setup_say(setup, "%s: transfer", subject);
	if (transfer(setup, from, to, &result, &trouble) < 0)
		return findings_add(setup->findings, id, subject, FINDING_FAIL,
				    verbs_setup_remedy(setup, &trouble), "%s", trouble.text);
	return findings_add(setup->findings, id, subject, FINDING_OK, NULL, "%s; data verified",
			    transfer_result_text(&result, text));
}

int local_loopback(struct verbs_setup *setup)
{
	for (size_t i = 0; i < setup->devices->n; i++) {
		const struct verbs_device *device = &setup->devices->item[i];
		int status = 0;

		if (device->used)
			status = try(setup, "verbs_loopback", device->name, device, device);
		else if (device->context)
			status = findings_add(setup->findings, "verbs_loopback", device->name,
					      FINDING_UNCHECKED, "see the verbs_port findings",
					      "no port is ACTIVE with a GID or LID");
		if (status < 0)
			return -1;
	}
	return 0;
}

int local_pairs(struct verbs_setup *setup)
{
	const struct verbs_devices *devices = setup->devices;

	for (size_t i = 0; i < devices->n * devices->n; i++) {
		const struct verbs_device *from = &devices->item[i / devices->n];
		const struct verbs_device *to = &devices->item[i % devices->n];
		char subject[160];

		if (from == to || !from->used || !to->used ||
		    from->used->infiniband != to->used->infiniband)
			continue;
		(void)snprintf(subject, sizeof(subject), "%s -> %s", from->name, to->name);
		if (try(setup, "verbs_pair", subject, from, to) < 0)
			return -1;
	}
	return 0;
}
