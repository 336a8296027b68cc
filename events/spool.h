/* SPDX-License-Identifier: Apache-2.0 */
/* The records of refusals (core/record/store.h), each as it comes. Nothing is written there. */
#ifndef OCI_RDMA_EVENTS_SPOOL_H
#define OCI_RDMA_EVENTS_SPOOL_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/record/store.h"

struct spool {
	int dir;
	int watch; /* readable when there is something for spool_read() */
};

#define SPOOL_NONE ((struct spool){-1, -1})

/* Gets each record. Its texts are gone afterwards. */
typedef void spool_take(void *context, const struct record *record);
/* Gets the reason of one that cannot be read. */
typedef void spool_fail(void *context, const struct err *err);

struct spool_handler {
	spool_take *take;
	spool_fail *fail;
	void *context;
};

/* Returns 0, or -1 with the reason: there is no such directory, or others than root can write it.
 */
int spool_open(struct spool *spool, const char *sysroot, struct err *err);
void spool_close(struct spool *spool);
#define cleanup_spool __attribute__((cleanup(spool_close))) struct spool

/* All that are there, the oldest first. Returns how many files there are, or -1 with the reason. */
int spool_read_all(const struct spool *spool, const struct spool_handler *handler, struct err *err);

/* Those that have come since, without waiting. Returns 0, or -1: the directory is gone. */
int spool_read_new(const struct spool *spool, const struct spool_handler *handler, struct err *err);

#endif
