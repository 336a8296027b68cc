/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins' status files. A node's plugins, even in containers, share a directory; each holds an
 * fcntl(2) lock on a second file for life, and F_GETLK shows its pid. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/json/fields.h"

/* Below the sysroot, root's alone: *.json and locks */
#define NRI_STATUS_DIR "run/oci-rdma-hook"
#define NRI_STATUS_PATH NRI_STATUS_DIR "/nri.json"
#define NRI_STATUS_LOCK ".lock"

/* Written this often; older than NRI_STATUS_OLD_MS, the plugin hangs */
#define NRI_STATUS_EACH_MS 2000
#define NRI_STATUS_OLD_MS 10000

/* Histogram bounds in microseconds; one more class follows */
#define NRI_ANSWERS_BOUNDS                                                                         \
	{                                                                                          \
		100, 500, 1000, 5000, 25000, 100000, 500000, 1500000                               \
	}
#define NRI_ANSWERS_N_BOUNDS 8

/* To CreateContainer since the plugin's start */
struct nri_answers {
	uint64_t n;
	uint64_t us; /* total, in microseconds */
	uint64_t slowest_us;
	uint64_t within[NRI_ANSWERS_N_BOUNDS + 1]; /* not in the file */
};

/* From worst to best */
enum nri_state { NRI_ABSENT, NRI_ENDED, NRI_HANGS, NRI_UNCONNECTED, NRI_SERVES };

struct nri_status {
	int64_t pid;
	int64_t alive_ms;    /* written, by CLOCK_MONOTONIC */
	const char *since;   /* synchronized, "2026-11-21T20:22:43Z", or NULL */
	const char *trouble; /* why not connected, or NULL */
	const char *runtime; /* "containerd", or NULL */
	const char *version;
	struct nri_answers answers;
	uint64_t unseen; /* undecided containers at the last connection */

	/* Not in the file: nri_status_find()'s */
	enum nri_state state;
	unsigned n_found; /* with crashed ones */
	unsigned n_connected;
};

extern const struct json_field nri_status_fields[];

/* The node's best plugin, or a container's own. recorded: ignore locks and clock */
int nri_status_find(struct arena *arena, int sysroot, bool recorded, struct nri_status *ret_status,
		    struct err *err);
