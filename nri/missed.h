/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers that were missed: they were created while no plugin was connected, they ask, they have
 * a device, and their limit is below the plan's.
 *
 * They are found after each Synchronize, by a child: its runtime waits 2 s for the plugin, and to
 * decide about each container may take longer. The child reports each through a pipe and logs it,
 * the plugin counts it and names it in its status. With "on_missed": "mend" the child also raises
 * the limit of the container's processes.
 *
 *   look -> the child runs, descriptor in -> tend, until it ends or LOOK_PATIENCE_MS are over
 */
#ifndef OCI_RDMA_NRI_MISSED_H
#define OCI_RDMA_NRI_MISSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/child.h"
#include "core/nri_status.h"
#include "core/options.h"
#include "nri/synchronize.h"

#define LOOK_PATIENCE_MS 60000
/* How often the missed containers are looked at: one that has ended is missed no more. */
#define MISSED_EACH_MS 30000

/* Children that hang in a driver; with so many no more are started. */
#define MISSED_LEAVING_MAX 4

#define MISSED_ID_SIZE 132
#define MISSED_WHO_SIZE 400

struct missed_item {
	char id[MISSED_ID_SIZE];
	char who[MISSED_WHO_SIZE]; /* "team-a/h-kim-0/trainer" */
	bool mended;
};

struct missed {
	const struct options *options;
	const int *closed[CHILD_CLOSED];

	int in; /* what the child reports; -1: none runs */
	pid_t child;
	bool ended;                        /* it has said that all were looked at */
	pid_t leaving[MISSED_LEAVING_MAX]; /* have reported, or were killed, and not gone yet */
	size_t n_leaving;
	int64_t deadline;
	int64_t check_at; /* INT64_MAX: nobody is missed */

	struct missed_item items[NRI_MISSED_MAX];
	size_t n_items;
	struct nri_missed shown[NRI_MISSED_MAX]; /* the same, for the status */
	struct nri_missed_status status;
};

void missed_begin(struct missed *missed, const struct options *options);

/* since: when the plugin was connected, as the status has it. Never fails: it is logged. */
void missed_look(struct missed *missed, const struct synchronize *synchronize, const char *since);

/* Hears what the child has to say, or that its time is over, and forgets those that have ended.
 * Never waits. Returns true if the status has changed. */
bool missed_tend(struct missed *missed);

/* When missed_tend() must be called without a report; INT64_MAX: never */
int64_t missed_next(const struct missed *missed);

/* Ends the child, at the end of the plugin. */
void missed_end(struct missed *missed);

#endif
