/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the NRI plugin's status that names containers which were created while no plugin was
 * connected, and lack their limit (nri/missed.h).
 */
#ifndef OCI_RDMA_NRI_MISSED_STATUS_H
#define OCI_RDMA_NRI_MISSED_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/json/reader.h"
#include "core/json/writer.h"

/* That are named; the others are only counted. */
#define NRI_MISSED_MAX 64

struct nri_missed {
	const char *id;
	const char *who; /* "team-a/h-kim-0/trainer" */
	bool mended;     /* its processes have the limit since */
};

struct nri_missed_status {
	uint64_t found;   /* since the plugin started */
	uint64_t mended;  /* of these */
	uint64_t open;    /* that run now, and are not mended */
	uint64_t unnamed; /* of these, without an item */
	uint64_t unseen;  /* after the last connection: could not be decided about */
	const struct nri_missed *item;
	size_t n;
};

/* Puts the member "missed" of the status. */
void nri_missed_put(yajl_gen gen, const struct nri_missed_status *status);

/* source: the whole status. Without the member all is zero. Returns 0 or -1. */
int nri_missed_read(struct arena *arena, const struct json_source *source,
		    struct nri_missed_status *ret_status, struct err *err);

#endif
