/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The status that oci-rdma-nri writes into a file: read by its own --check, by the doctor, and by
 * what reports the entry points of a node (explain/entry_points.h). What was decided about a
 * container is in its record (core/record).
 *
 * All plugins of a node write into one directory of the node, those in containers as well. Each
 * holds the lock (fcntl(2)) of a second file as long as it lives: of that the kernel says whether
 * somebody holds it, and who, by the pid that the reader knows.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/json/fields.h"

/* Below the sysroot, root's alone: nri.json and any other *.json, each with its lock's file */
#define NRI_STATUS_DIR "run/oci-rdma-hook"
#define NRI_STATUS_PATH NRI_STATUS_DIR "/nri.json"
#define NRI_STATUS_LOCK ".lock"

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

/* The later the better */
enum nri_state { NRI_ABSENT, NRI_ENDED, NRI_HANGS, NRI_UNCONNECTED, NRI_SERVES };

struct nri_status {
	int64_t pid;
	int64_t alive_ms;    /* when this was written, by CLOCK_MONOTONIC */
	const char *since;   /* connected and synchronized, "2026-11-21T20:22:43Z"; NULL: not */
	const char *trouble; /* why not; NULL: not known */
	const char *runtime; /* "containerd"; NULL: not known */
	const char *version; /* its */
	struct nri_answers answers;
	uint64_t unseen; /* containers that could not be decided about at the last connection */

	/* Not in the file: nri_status_find()'s */
	enum nri_state state;
	unsigned n_found;     /* plugins of the node, also those that have ended unexpectedly */
	unsigned n_connected; /* of these */
};

/* The file's, for json_fields_write() */
extern const struct json_field nri_status_fields[];

/*
 * The best of the node's plugins, or in a container its own. sysroot: a directory descriptor.
 * recorded: it is a recorded tree, whose locks and clock cannot be looked at. Returns 0 or -1.
 */
int nri_status_find(struct arena *arena, int sysroot, bool recorded, struct nri_status *ret_status,
		    struct err *err);
