/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The status that oci-rdma-nri writes into a file: read by its own --check, by the doctor, and by
 * what reports the entry points of a node (explain/ways.h). What was decided about a container is
 * in its record (core/record).
 */
#ifndef OCI_RDMA_NRI_STATUS_H
#define OCI_RDMA_NRI_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"

/* Below the sysroot: nri.json, or nri-NAME.json of one of several plugins (--instance) */
#define NRI_STATUS_DIR "run/oci-rdma-hook"
#define NRI_STATUS_PATH NRI_STATUS_DIR "/nri.json"
#define NRI_INSTANCE_MAX 16
#define NRI_STATUS_NAME_SIZE (sizeof("nri-.json") + NRI_INSTANCE_MAX)
#define NRI_STATUS_SIZE_MAX (64 * 1024)

/* A plugin that works writes its file at least so often; older than the second, it hangs. */
#define NRI_STATUS_EACH_MS 2000
#define NRI_STATUS_OLD_MS 10000

/* Upper bounds of the classes of answer times, in microseconds; one more class follows the last. */
#define NRI_ANSWERS_BOUNDS                                                                         \
	{                                                                                          \
		100, 500, 1000, 5000, 25000, 100000, 500000, 1500000                               \
	}
#define NRI_ANSWERS_N_BOUNDS 8

/* Since the plugin started: its answers to CreateContainer */
struct nri_answers {
	uint64_t n;
	uint64_t us; /* sum of their times, in microseconds */
	uint64_t slowest_us;
	uint64_t within[NRI_ANSWERS_N_BOUNDS + 1]; /* not in the file */
};

struct nri_status {
	int64_t pid;
	uint64_t started;    /* that process, in clock ticks since boot (proc(5), starttime) */
	int64_t alive_ms;    /* when this was written, by CLOCK_MONOTONIC; 0: not known */
	const char *socket;  /* that it connects to */
	const char *since;   /* connected and synchronized, "2026-11-21T20:22:43Z"; NULL: not */
	const char *trouble; /* why not, or what is wrong nevertheless; NULL: none known */
	const char *runtime; /* "containerd"; NULL: not known */
	const char *version; /* its */
	struct nri_answers answers;
	uint64_t unseen; /* containers that could not be decided about at the last connection */

	/* nri_status_find() counts them on the whole node. */
	unsigned n_found;     /* plugins, also those that have ended unexpectedly */
	unsigned n_connected; /* of these */
};

/* The file's text, in the arena; NULL without memory */
const char *nri_status_text(struct arena *arena, const struct nri_status *status, size_t *ret_len);

/* instance: NULL: the only plugin */
void nri_status_name(const char *instance, char name[NRI_STATUS_NAME_SIZE]);

/*
 * sysroot: a directory descriptor. name: of a file in NRI_STATUS_DIR. Returns 0; -ENOENT, with *err
 * set, if there is none; or -1.
 */
int nri_status_read(struct arena *arena, int sysroot, const char *name,
		    struct nri_status *ret_status, struct err *err);

/*
 * The plugins of this node: the best of them. A plugin is also found if it runs in a container (as
 * the DaemonSet's does), whose status file is only in that container: one that root runs, and that
 * has the directory of the node's NRI socket. recorded: sysroot is a recorded tree, whose processes
 * and clock cannot be looked at. Returns also, with *ret_status set, -ESRCH: the process of the
 * best has ended; -ETIMEDOUT: it hangs.
 */
int nri_status_find(struct arena *arena, int sysroot, bool recorded, struct nri_status *ret_status,
		    struct err *err);

/* When a process started, in clock ticks since boot (proc(5), starttime); 0: it does not exist. */
uint64_t nri_status_start_of(int64_t pid);

#endif
