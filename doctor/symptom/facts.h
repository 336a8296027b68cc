/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "doctor/symptom/ending.h"
#include "doctor/symptom/known.h"

#define FACTS_MAX 8

/* All zero at first */
struct facts {
	int gid_index; /* of RoCE v2 with IPv4, or 0 */
	unsigned long gid_line;
	unsigned long gid_local; /* line of a link-local one, or 0 */
	bool gid_other;
	unsigned long no_hcas;
	struct {
		unsigned long line; /* 0: no RLIMIT_MEMLOCK logged */
		unsigned long long kib;
		bool unlimited;
		bool next;
	} memlock;
	struct {
		unsigned long wanted;  /* line asking for InfiniBand or RoCE, or 0 */
		unsigned long missing; /* line reporting no device */
		char hcas[96];         /* NCCL_IB_HCA */
		bool one_node;
		bool apart;
		bool direct;
		bool indirect;
	} network;
	struct {
		bool described;
		bool asked;
		bool limits;
		char resource[64];
		unsigned long line;
	} pod;
	struct ending ending;
};

/* lowered: text in lower case, equally long */
void facts_read(struct facts *facts, const char *lowered, const char *text, unsigned long number);

bool facts_want_next(const struct facts *facts);

/* Fills at most FACTS_MAX of ret; returns how many. causes: rows, less notes and consequences;
 * beside: rows shown */
size_t facts_tell(const struct facts *facts, size_t causes, size_t beside, struct symptom *ret);

/* Weighs a row by the log: memlock by the limit, peer-to-peer by channels. False: drop it. */
bool facts_weigh(const struct facts *facts, struct symptom *symptom);
