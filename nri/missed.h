/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers that were missed: they were created while no plugin was connected, they ask, they have
 * a device, and their limit is below the plan's.
 *
 * One that is about to start is looked at by serve_start(). Those that run already are looked at
 * after Synchronize, by a child, because its runtime waits 2 s for the plugin and deciding about
 * each may take longer. The child logs each that was missed, and leaves its record: whoever counts
 * and names them reads the records. With "on_missed": "mend" the child also raises the limit of the
 * container's processes.
 */
#ifndef OCI_RDMA_NRI_MISSED_H
#define OCI_RDMA_NRI_MISSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/err.h"
#include "core/options.h"
#include "core/record/record.h"
#include "nri/session.h"
#include "nri/worker.h"

struct container;

#define WAY_IN "nri" /* as lines and records name this entry point */

/* ---- a look at one, or at all (missed_check.c) ---- */

/* Of one that is missed the log and its record tell. */
enum look_result {
	LOOK_NOTHING,
	LOOK_REFUSED, /* it must not start */
	LOOK_UNSEEN,  /* it could not be decided about */
};

#define CGROUP_PATH_SIZE 512

struct look {
	const struct options *options;
	const struct known *known; /* what the runtime has told at Synchronize. If a part is lost,
				      no record is forgotten because its container is not there. */
};

/*
 * A record goes when its engine no longer has the container, unless it is so new that the engine
 * may not name its container yet: CRI-O and the kubelet wait 4 and 2 minutes for a creation.
 */
#define RECORD_NEW_MS (5 * 60 * INT64_C(1000))

/* In a child. look: a struct look. Writes to out how many are unseen, a uint64_t, at the end. */
void look_at_all(void *look, int out);

/* One that is about to start; its spec is read. */
enum look_result look_at_start(const struct options *options, const Nri__Container *told,
			       struct container *container);

/* ---- what was missed (missed.c) ---- */

#define LOOK_PATIENCE_MS 60000

struct missed {
	struct children *children;
	uint64_t *unseen;   /* could not be decided about */
	struct child child; /* .in: how many are unseen; -1: none runs */
};

/* Looks at what was there before the plugin. Never fails: it is logged. */
void missed_look(struct missed *missed, const struct look *look);

/* Kills the child, if one runs. One that hangs in a driver is not waited for. */
void missed_stop(struct missed *missed);

/* Hears what the child has to say, or that its time is over. Never waits. Returns true if there is
 * news for the status or the metrics. */
bool missed_tend(struct missed *missed);

/*
 * Those that run now, by their records; sysroot: a descriptor. *ret_records in the arena, of
 * RECORD_MISSED and RECORD_MENDED. Returns how many, or -1 with the reason.
 */
int missed_list(struct arena *arena, int sysroot, struct record **ret_records, struct err *err);

/* ---- a container's cgroup (cgroup.c) ---- */

/* Where linux.cgroupsPath says that it is, below the sysroot root; "" if that is not known */
void cgroup_find(int root, const char *cgroups_path, char path[CGROUP_PATH_SIZE]);

/* Whether its container has ended, which also a pod without the node's pids sees. False also if
 * that cannot be told, or path is NULL. */
bool cgroup_is_gone(int root, const char *path);

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
