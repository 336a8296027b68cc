/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/transfer.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/cleanup.h"

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

int registration_probe(const struct verbs *verbs, const struct verbs_device *device, size_t max,
		       struct registration *ret_registration, struct trouble *trouble)
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
