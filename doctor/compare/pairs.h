/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers between the pods of a job, rail by rail: which are slow or failed, and whose device
 * is the cause? */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doctor/compare/job.h"

#define PAIRS_SLOW_PERCENT 80

#define PAIRS_NONE SIZE_MAX

/* A device of a pod */
struct end {
	size_t pod;
	const char *device;
	size_t rail;
	bool met;   /* a peer's device is known */
	size_t n;   /* transfers that it wrote */
	size_t bad; /* of these: slow or failed */
};

/* What the writing end says; each two ends write once. */
struct transfer {
	size_t from; /* pods */
	size_t to;
	size_t end;  /* the writing one; PAIRS_NONE: no device was used */
	size_t peer; /* PAIRS_NONE: it did not get so far */
	double gbps; /* 0: failed */
	bool slow;   /* below PAIRS_SLOW_PERCENT of the rail's median */
	const char *evidence;
};

/* Ends that transfer data with each other: VFs of one rail have other names on other nodes. */
struct rail {
	const char *name; /* the device's, or "mlx5_3 of POD" where names differ */
	double median;    /* Gb/s; 0: all failed */
	bool works;       /* at least one transfer is neither slow nor failed */
};

struct pairs {
	struct transfer *transfer;
	size_t n;
	size_t room;
	struct end *end;
	size_t n_ends;
	size_t room_ends;
	struct rail *rail;
	size_t n_rails;
	const char **pod; /* in the order of the reports */
	size_t n_pods;
	size_t slow;
	size_t failed;
};

/* job: reports POD@PEER.json. In its arena; returns 0, or -1 without memory. */
int pairs_judge(const struct job *job, struct pairs *ret_pairs);

/* It fails, or is slow, with all its peers, at least two, and the rail works between others. */
bool pairs_is_cause(const struct pairs *pairs, size_t end);
