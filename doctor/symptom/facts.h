/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "doctor/symptom/ending.h"
#include "doctor/symptom/known.h"

#define FACTS_MAX 8

/* All zero at first */
struct facts {
	int gid_index; /* of RoCE v2 with IPv4; 0: none */
	unsigned long gid_line;
	unsigned long gid_local; /* line of a link-local one, or 0 */
	bool gid_other;
	unsigned long no_hcas; /* that line of ibv_devinfo -l */
	struct {
		unsigned long line; /* 0: no RLIMIT_MEMLOCK logged */
		unsigned long long kib;
		bool unlimited;
		bool next; /* the last line was "ulimit -l" */
	} memlock;
	struct {
		unsigned long wanted;  /* line asking for InfiniBand or RoCE, or 0 */
		unsigned long missing; /* line reporting no device */
		char hcas[96];         /* NCCL_IB_HCA */
		bool one_node;
		bool apart;    /* channels use a network */
		bool direct;   /* some use GPUDirect RDMA */
		bool indirect; /* some do not */
	} network;
	struct {
		bool described; /* by kubectl describe */
		bool asked;     /* has our annotation */
		bool limits;    /* its limits follow */
		char resource[64];
		unsigned long line;
	} pod;
	struct ending ending;
};

/* lowered: text in lower case, of equal length; both NUL-terminated */
void facts_read(struct facts *facts, const char *lowered, const char *text, unsigned long number);

/* True if the next line matters whatever its words */
bool facts_want_next(const struct facts *facts);

/* Fills at most FACTS_MAX of ret; returns how many. causes: rows, less notes and consequences;
 * beside: rows shown */
size_t facts_tell(const struct facts *facts, size_t causes, size_t beside, struct symptom *ret);

/* Weighs a row by the log: memlock by the limit, peer-to-peer by channels. False: drop it. */
bool facts_weigh(const struct facts *facts, struct symptom *symptom);
