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

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/child.h"
#include "core/nri_status.h"
#include "core/options.h"
#include "nri/message/message.h"

/* ---- what was missed (missed.c) ---- */

#define LOOK_PATIENCE_MS 60000
/* How often the missed containers are looked at: one that has ended is missed no more. */
#define MISSED_EACH_MS 30000

/* Children that hang in a driver; with so many no more are started. */
#define MISSED_LEAVING_MAX 4

enum look_kind {
	LOOK_MISSED,
	LOOK_MENDED,
	LOOK_UNSEEN, /* it could not be decided about */
	LOOK_END,    /* all were looked at: without it the child has ended early */
};

#define CGROUP_PATH_SIZE 512

/* Goes through the pipe as it is: less than PIPE_BUF, so at once. */
struct look_report {
	uint32_t kind;  /* enum look_kind */
	uint32_t known; /* it was reported after an earlier connection */
	char id[132];
	char who[400]; /* "team-a/h-kim-0/trainer" */
	char cgroup[CGROUP_PATH_SIZE];
};

/* In a child: decides about each container that was there before the plugin, and mends it. */

struct look {
	const struct options *options;
	struct message known; /* what the runtime has told at Synchronize */
	bool whole;           /* nothing is missing in it: the child removes each note whose
				 container is not there, unless the note is new */
	const char *since;    /* when the plugin was connected */
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

	struct look_report items[NRI_MISSED_MAX];
	size_t n_items;
	struct nri_missed shown[NRI_MISSED_MAX]; /* the same, for the status */
	struct nri_missed_status status;
};

void missed_begin(struct missed *missed, const struct options *options);

/* Never fails: it is logged. */
void missed_look(struct missed *missed, const struct look *look);

/* One that was missed, and is about to start. */
void missed_add(struct missed *missed, const struct look_report *report);

/* Hears what the child has to say, or that its time is over, and forgets those that have ended.
 * Never waits. Returns true if the status has changed. */
bool missed_tend(struct missed *missed);

/* When missed_tend() must be called without a report; INT64_MAX: never */
int64_t missed_next(const struct missed *missed);

/* Ends the child, at the end of the plugin. */
void missed_end(struct missed *missed);

/* ---- a look at one (look.c) ---- */

/* Reports to out. Ends early if nobody reads there any more. */
void look_at_all(const struct look *look, int out);

/*
 * One that is about to start: its packed pod and container. Returns true if it is missed, with
 * *ret_report; then *ret_reason is why it must not start, or NULL.
 */
bool look_at_start(const struct look *look, struct arena *arena, const struct message *pod,
		   const struct message *container, struct look_report *ret_report,
		   const char **ret_reason);

/* ---- a container's cgroup (cgroup.c) ---- */

/* Where linux.cgroupsPath says that it is, below the sysroot root; "" where that is not known */
void cgroup_find(int root, const char *cgroups_path, char path[CGROUP_PATH_SIZE]);

/* Whether its container has ended, which also a pod without the node's pids sees. sysroot: a path.
 * False also if that cannot be told. */
bool cgroup_is_gone(const char *sysroot, const char *path);

/* The first process that is listed there; 0: none is, or it is of another pid namespace. */
int64_t cgroup_first(int root, const char *path);

/*
 * Raises RLIMIT_MEMLOCK of each process of that cgroup and below it, until a look at all of them
 * finds none that is lower, since a process may fork meanwhile. No limit is lowered. It needs the
 * node's pid namespace and CAP_SYS_RESOURCE. *ret_n: how many were raised. Returns 0, or -1 with
 * the reason.
 */
int cgroup_mend(int root, const char *path, uint64_t memlock, size_t *ret_n, struct err *err);

#endif
