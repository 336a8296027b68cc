/* SPDX-License-Identifier: Apache-2.0 */
/* What a log tells of each host, and how they differ: HCAs, links, GPUDirect, NCCL, GIDs */
#ifndef OCI_RDMA_DOCTOR_SYMPTOM_FACTS_H
#define OCI_RDMA_DOCTOR_SYMPTOM_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "doctor/symptom/known.h"

#define FACTS_MAX 5
#define HOSTS_MAX 64 /* of which more are not compared */

struct host {
	char name[64];
	unsigned long direct; /* channels over the network with GPUDirect RDMA, and without */
	unsigned long indirect;
	unsigned hcas;
	bool infiniband;
	bool roce;
	unsigned long line; /* where it was seen first */
};

/* All zero at first */
struct facts {
	struct host host[HOSTS_MAX];
	size_t n;
	char version[2][32]; /* of NCCL: the first, and one that is another */
	unsigned long version_line;
	int gid_index; /* of RoCE v2 with an IPv4 address, by a GID table in the log; 0: none */
	unsigned long gid_line;
	unsigned long unlimited_line; /* RLIMIT_MEMLOCK is, by the log; 0: it does not say */
};

/* line: in lower case */
void facts_read(struct facts *facts, const char *line, unsigned long number);

/* Fills in at most FACTS_MAX of ret; returns how many. beside: the log shows something else, so
 * that a table of GIDs is of use */
size_t facts_tell(const struct facts *facts, bool beside, struct symptom *ret);

/* Excludes what the log itself does: memlock where it says unlimited, peer-to-peer transfers where
 * no channel makes any */
void facts_exclude(const struct facts *facts, struct symptom *symptom);

#endif
