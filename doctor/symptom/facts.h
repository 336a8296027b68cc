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
	unsigned long gid_local; /* a link-local one's line; 0: none */
	bool gid_other;
	unsigned long no_hcas;
	struct {
		unsigned long line; /* 0: no RLIMIT_MEMLOCK in the log */
		unsigned long long kib;
		bool unlimited;
		bool next;
	} memlock;
	struct {
		unsigned long wanted;  /* line that asks for InfiniBand or RoCE; 0: none */
		unsigned long missing; /* line that reports no device */
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

/* lowered: text in lower case, of equal length; both NUL-terminated */
void facts_read(struct facts *facts, const char *lowered, const char *text, unsigned long number);

bool facts_want_next(const struct facts *facts);

/* Fills in at most FACTS_MAX of ret and returns how many. causes: rows that are neither notes
 * nor consequences; beside: all rows shown */
size_t facts_tell(const struct facts *facts, size_t causes, size_t beside, struct symptom *ret);

/* Weighs a row by the log's own facts: memlock by the limit, peer-to-peer by channels. False:
 * drop the row. */
bool facts_weigh(const struct facts *facts, struct symptom *symptom);
