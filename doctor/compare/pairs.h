/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers between a job's pods, by rail: which are slow or failed, through whose device? */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doctor/compare/job.h"

#define PAIRS_SLOW_PERCENT 80

#define PAIRS_NONE SIZE_MAX

/* A pod's device */
struct end {
	size_t pod;
	const char *device;
	size_t rail;
	bool met; /* a peer's device is known */
	size_t n; /* transfers written */
	size_t slow;
	size_t failed;
};

/* As the writing end reports it; each writes once. */
struct transfer {
	size_t from; /* pods */
	size_t to;
	size_t end;  /* the writing one; PAIRS_NONE: no device used */
	size_t peer; /* PAIRS_NONE: unknown, it failed before */
	double gbps; /* 0: failed */
	bool slow;   /* below PAIRS_SLOW_PERCENT of the median */
	const char *evidence;
};

/* Ends that transfer with each other: nodes name a rail's VFs differently. */
struct rail {
	const char *name; /* the device's, or "mlx5_3 of POD" if names differ */
	double median;    /* Gb/s; 0: all failed */
	bool works;       /* a transfer is neither slow nor failed */
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
	const char **pod; /* in report order */
	size_t n_pods;
	size_t slow;
	size_t failed;
};

/* job: reports POD@PEER.json. The result is in its arena. Returns -1 without memory. */
int pairs_judge(const struct job *job, struct pairs *ret_pairs);

/* Is it by a device of this rail? */
bool pairs_is_of(const struct pairs *pairs, const struct transfer *transfer, size_t rail);

/* Fails or is slow with all peers, at least two, while other transfers of its rail work. */
bool pairs_is_cause(const struct pairs *pairs, size_t end);
