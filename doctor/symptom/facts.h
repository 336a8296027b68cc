/* SPDX-License-Identifier: Apache-2.0 */
/* What a log tells in several lines: the NCCL of its ranks, GIDs, the memlock limit, a pod, and how
 * a rank ended */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "doctor/symptom/ending.h"
#include "doctor/symptom/known.h"

#define FACTS_MAX 8

/* All zero at first */
struct facts {
	int gid_index; /* of RoCE v2 with an IPv4 address, by a GID table in the log; 0: none */
	unsigned long gid_line;
	unsigned long gid_local; /* the line of a link-local one; 0: none */
	bool gid_other;
	unsigned long no_hcas; /* the line of ibv_devinfo -l that says so */
	struct {
		unsigned long line; /* 0: the log does not say RLIMIT_MEMLOCK */
		unsigned long long kib;
		bool unlimited;
		bool next; /* the line before was "ulimit -l" */
	} memlock;
	struct {
		unsigned long wanted;  /* the line that asks for InfiniBand or RoCE; 0: none */
		unsigned long missing; /* the line that says that there is no device */
		char hcas[96];         /* NCCL_IB_HCA */
		bool one_node;
		bool apart;    /* channels go over a network */
		bool direct;   /* some use GPUDirect RDMA */
		bool indirect; /* some do not */
	} network;
	struct {
		bool described; /* by kubectl describe */
		bool asked;     /* it has our annotation */
		bool limits;    /* the next lines are its limits */
		char resource[64];
		unsigned long line;
	} pod;
	struct ending ending;
};

/* lowered: the line, of which text is the original, in lower case; as long, and both with a NUL */
void facts_read(struct facts *facts, const char *lowered, const char *text, unsigned long number);

/* True if the next line belongs to what was read, whatever words it has */
bool facts_want_next(const struct facts *facts);

/* Fills in at most FACTS_MAX of ret; returns how many. causes: how many rows are shown that are no
 * notes and follow from nothing; beside: how many of all */
size_t facts_tell(const struct facts *facts, size_t causes, size_t beside, struct symptom *ret);

/* Confirms or excludes what the log itself does: memlock by the limit, peer-to-peer transfers where
 * no channel makes any. False: the row is not for this log. */
bool facts_weigh(const struct facts *facts, struct symptom *symptom);
