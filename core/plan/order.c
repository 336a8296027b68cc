/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

/* A device and the rank that its claim gives it */
struct ranked {
	struct device device;
	size_t rank;
};

static int compare_address(const void *a, const void *b)
{
	const struct ranked *x = a;
	const struct ranked *y = b;
	int order = strcmp(x->device.address, y->device.address);

	/* Several verbs devices of one PCI function: all are the claim's. */
	return order ? order : text_compare_natural(x->device.ibdev, y->device.ibdev);
}

static int compare_rank(const void *a, const void *b)
{
	const struct ranked *x = a;
	const struct ranked *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return text_compare_natural(x->device.ibdev, y->device.ibdev);
}

/* The first of the devices, sorted by address, that has this one */
static struct ranked *find(struct ranked *ranked, size_t n, const char *address)
{
	size_t low = 0;
	size_t high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(ranked[middle].device.address, address) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && strcmp(ranked[low].device.address, address) == 0 ? &ranked[low] : NULL;
}

/* The device that has the claim's file now; NULL if none of ours has, or the file is not known */
static const struct device *find_file(const struct claim *claim, const struct ranked *ranked,
				      size_t n)
{
	for (size_t i = 0; claim->file && i < n; i++) {
		if (strcmp(text_base_name(claim->file), ranked[i].device.uverbs) == 0)
			return &ranked[i].device;
	}
	return NULL;
}

/*
 * A device that moves to another network namespace is registered anew, by the lowest free number
 * (ib_core's device.c: rdma_dev_change_netns; uverbs_main.c: ida_alloc_max): what was allocated by
 * number before may be another one after.
 */
static int warn_unproven(struct arena *arena, const struct claim *claim,
			 const struct ranked *ranked, size_t n, struct warnings *warnings)
{
	const char *named = claim->ibdev ? claim->ibdev : "";
	const struct device *now = find_file(claim, ranked, n);

	if (now)
		return warnings_add(
			arena, warnings, "stale_number",
			"/dev/infiniband/%s was allocated as %s%s%s%s, but is now %s (%s), which "
			"was not allocated, because the device numbers have changed since then: "
			"delete the pod, so that its devices are allocated again",
			now->uverbs, claim->address, named[0] ? " (" : "", named,
			named[0] ? ")" : "", now->ibdev, now->address);
	return warnings_add(arena, warnings, "not_allocated",
			    "the environment names %s%s%s%s, but linux.devices does not contain "
			    "that device: it is left out",
			    claim->address, named[0] ? " (" : "", named, named[0] ? ")" : "");
}

static int apply_claim(struct arena *arena, const struct claim *claim, size_t rank,
		       struct ranked *ranked, size_t n, struct warnings *warnings)
{
	struct ranked *found = find(ranked, n, claim->address);
	const char *named = claim->ibdev ? claim->ibdev : "";
	bool agrees = !claim->ibdev;

	if (!found)
		return warn_unproven(arena, claim, ranked, n, warnings);
	for (struct ranked *r = found;
	     r < ranked + n && strcmp(r->device.address, claim->address) == 0; r++) {
		if (claim->ibdev && strcmp(claim->ibdev, r->device.ibdev) == 0)
			agrees = true;
		if (r->rank < SIZE_MAX)
			continue;
		r->rank = rank;
		r->device.source = claim->source == CLAIM_DRA ? SOURCE_DRA : SOURCE_SRIOV;
	}
	if (agrees)
		return 0;
	return warnings_add(arena, warnings, "env_disagrees",
			    "the environment calls %s %s, but its name on this node is %s: the "
			    "name on this node is used",
			    claim->address, named, found->device.ibdev);
}

/* linux.devices may list one number twice, under two paths. */
static void drop_duplicates(struct devices *devices)
{
	size_t kept = 0;

	for (size_t i = 0; i < devices->n; i++) {
		if (kept && strcmp(devices->item[kept - 1].uverbs, devices->item[i].uverbs) == 0)
			continue;
		devices->item[kept++] = devices->item[i];
	}
	devices->n = kept;
}

int order_devices(struct arena *arena, const struct claims *claims, struct devices *devices,
		  struct warnings *warnings, struct err *err)
{
	size_t n = devices->n;
	struct ranked *ranked = arena_alloc(arena, n * sizeof(*ranked));

	if (!ranked)
		return err_memory(err);
	for (size_t i = 0; i < n; i++) {
		ranked[i] = (struct ranked){.device = devices->item[i], .rank = SIZE_MAX};
		ranked[i].device.source = SOURCE_DEVICE;
	}
	qsort(ranked, n, sizeof(*ranked), compare_address);
	for (size_t i = 0; i < claims->n; i++) {
		if (apply_claim(arena, &claims->item[i], i, ranked, n, warnings) < 0)
			return err_memory(err);
	}
	qsort(ranked, n, sizeof(*ranked), compare_rank);
	for (size_t i = 0; i < n; i++)
		devices->item[i] = ranked[i].device;
	drop_duplicates(devices);
	return 0;
}
