/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The course of the program: records come from the spool, the ledger says which is to be told when,
 * the API server takes them. What cannot be told is logged, and counted; nothing is dropped in
 * silence.
 */
#ifndef OCI_RDMA_EVENTS_REPORTER_H
#define OCI_RDMA_EVENTS_REPORTER_H

#include "events/options.h"

/* Returns the exit status. */
int reporter_run(const struct events_options *options);

#endif
