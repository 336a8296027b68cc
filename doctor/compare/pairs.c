/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/compare/pairs.h"

#include <stdlib.h>
#include <string.h>

static size_t pod_of(struct pairs *pairs, const char *name)
{
	size_t i = 0;

	while (i < pairs->n_pods && strcmp(pairs->pod[i], name) != 0)
		i++;
	if (i == pairs->n_pods)
		pairs->pod[pairs->n_pods++] = name;
	return i;
}

/* PAIRS_NONE: no memory. A new end is its own rail. */
static size_t end_of(struct arena *arena, struct pairs *pairs, size_t pod, const char *device)
{
	struct end *added;

	for (size_t i = 0; i < pairs->n_ends; i++) {
		if (pairs->end[i].pod == pod && strcmp(pairs->end[i].device, device) == 0)
			return i;
	}
	added = arena_push(arena, pairs->end, pairs->n_ends, pairs->room_ends);
	if (!added)
		return PAIRS_NONE;
	*added = (struct end){.pod = pod, .device = device, .rail = pairs->n_ends - 1};
	return pairs->n_ends - 1;
}

/* For now, a rail is the number of its first end. */
static void join(struct pairs *pairs, size_t a, size_t b)
{
	size_t x = pairs->end[a].rail;
	size_t y = pairs->end[b].rail;

	for (size_t i = 0; i < pairs->n_ends; i++) {
		if (pairs->end[i].rail == x || pairs->end[i].rail == y)
			pairs->end[i].rail = x < y ? x : y;
	}
	pairs->end[a].met = pairs->end[b].met = true;
}

/* "DEVICE -> ADDRESS PEER'S DEVICE" (verbs/pods.c); either device may be missing. */
static int find_ends(struct arena *arena, struct pairs *pairs, const char *subject,
		     struct transfer *transfer)
{
	const char *arrow = strstr(subject, " -> ");
	const char *peer = arrow ? strchr(arrow + 4, ' ') : NULL;
	const char *device =
		arrow ? arena_printf(arena, "%.*s", (int)(arrow - subject), subject) : "?";

	transfer->end = transfer->peer = PAIRS_NONE;
	if (!device)
		return -1;
	if (strcmp(device, "?") == 0)
		return 0;
	transfer->end = end_of(arena, pairs, transfer->from, device);
	if (transfer->end == PAIRS_NONE)
		return -1;
	if (!peer)
		return 0;
	transfer->peer = end_of(arena, pairs, transfer->to, peer + 1);
	if (transfer->peer == PAIRS_NONE)
		return -1;
	join(pairs, transfer->end, transfer->peer);
	return 0;
}

static int add_transfer(struct arena *arena, struct pairs *pairs, const struct transfer *transfer)
{
	struct transfer *added = arena_push(arena, pairs->transfer, pairs->n, pairs->room);

	if (!added)
		return -1;
	*added = *transfer;
	pairs->failed += !added->gbps;
	return 0;
}

/* Why there is no transfer, if reported */
static const char *reason_of(const struct pod *report)
{
	for (size_t i = 0; i < report->n; i++) {
		if (report->item[i].status == FINDING_FAIL)
			return report->item[i].evidence;
	}
	return report->silent ? report->silent : "it tried no transfer";
}

static int add_report(struct arena *arena, const struct pod *report, struct pairs *pairs)
{
	struct transfer transfer = {
		.from = pod_of(pairs, report->name),
		.to = pod_of(pairs, report->node),
		.end = PAIRS_NONE,
		.peer = PAIRS_NONE,
		.evidence = reason_of(report),
	};
	size_t before = pairs->n;

	for (size_t i = 0; i < report->n; i++) {
		const struct reported *item = &report->item[i];

		if (strcmp(item->id, "verbs_remote") != 0)
			continue;
		transfer.gbps = item->status == FINDING_OK ? item->gbps : 0;
		transfer.evidence = item->evidence;
		if (find_ends(arena, pairs, item->subject, &transfer) < 0 ||
		    add_transfer(arena, pairs, &transfer) < 0)
			return -1;
	}
	return pairs->n > before ? 0 : add_transfer(arena, pairs, &transfer);
}

/* An end that met nobody joins the rail of its name. */
static void join_by_name(struct pairs *pairs, size_t end)
{
	for (size_t i = 0; i < pairs->n_ends && !pairs->end[end].met; i++) {
		if (i != end && strcmp(pairs->end[i].device, pairs->end[end].device) == 0)
			join(pairs, i, end);
	}
}

static int find_rails(struct arena *arena, struct pairs *pairs)
{
	size_t *number = arena_alloc(arena, (pairs->n_ends + 1) * sizeof(*number));

	pairs->rail = arena_alloc(arena, (pairs->n_ends + 1) * sizeof(*pairs->rail));
	if (!number || !pairs->rail)
		return -1;
	for (size_t i = 0; i < pairs->n_ends; i++)
		join_by_name(pairs, i);
	for (size_t i = 0; i < pairs->n_ends; i++) {
		struct end *end = &pairs->end[i];
		const struct end *first = &pairs->end[end->rail];
		struct rail *rail;

		if (first == end) {
			number[i] = pairs->n_rails++;
			pairs->rail[number[i]] = (struct rail){.name = end->device};
		}
		end->rail = number[first - pairs->end];
		rail = &pairs->rail[end->rail];
		if (rail->name == first->device && strcmp(first->device, end->device) != 0)
			rail->name = arena_printf(arena, "%s of %s", first->device,
						  pairs->pod[first->pod]);
		if (!rail->name)
			return -1;
	}
	return 0;
}

static int compare_gbps(const void *a, const void *b)
{
	const double *x = a;
	const double *y = b;

	return (*x > *y) - (*x < *y);
}

bool pairs_is_of(const struct pairs *pairs, const struct transfer *transfer, size_t rail)
{
	return transfer->end != PAIRS_NONE && pairs->end[transfer->end].rail == rail;
}

static void judge_rail(struct pairs *pairs, size_t number, double *gbps)
{
	struct rail *rail = &pairs->rail[number];
	size_t n = 0;

	for (size_t i = 0; i < pairs->n; i++) {
		if (pairs->transfer[i].gbps > 0 && pairs_is_of(pairs, &pairs->transfer[i], number))
			gbps[n++] = pairs->transfer[i].gbps;
	}
	if (n) {
		qsort(gbps, n, sizeof(*gbps), compare_gbps);
		rail->median = gbps[n / 2];
	}
	for (size_t i = 0; i < pairs->n; i++) {
		struct transfer *transfer = &pairs->transfer[i];
		struct end *end;

		if (!pairs_is_of(pairs, transfer, number))
			continue;
		end = &pairs->end[transfer->end];
		transfer->slow = transfer->gbps > 0 &&
				 transfer->gbps * 100 < rail->median * PAIRS_SLOW_PERCENT;
		pairs->slow += transfer->slow;
		end->n++;
		end->slow += transfer->slow;
		end->failed += !transfer->gbps;
		rail->works |= transfer->gbps > 0 && !transfer->slow;
	}
}

int pairs_judge(const struct job *job, struct pairs *ret_pairs)
{
	struct arena *arena = job->arena;
	struct pairs pairs = {.pod = arena_alloc(arena, 2 * job->n * sizeof(*pairs.pod))};
	double *gbps;

	if (!pairs.pod)
		return -1;
	for (size_t i = 0; i < job->n; i++)
		(void)pod_of(&pairs, job->pod[i].name);
	for (size_t i = 0; i < job->n; i++) {
		if (add_report(arena, &job->pod[i], &pairs) < 0)
			return -1;
	}
	gbps = arena_alloc(arena, (pairs.n + 1) * sizeof(*gbps));
	if (!gbps || find_rails(arena, &pairs) < 0)
		return -1;
	for (size_t i = 0; i < pairs.n_rails; i++)
		judge_rail(&pairs, i, gbps);
	*ret_pairs = pairs;
	return 0;
}

bool pairs_is_cause(const struct pairs *pairs, size_t number)
{
	const struct end *end = number == PAIRS_NONE ? NULL : &pairs->end[number];

	return end && end->n > 1 && end->slow + end->failed == end->n &&
	       pairs->rail[end->rail].works;
}
