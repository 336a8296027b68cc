/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers a collector's HTTP requests with the file of --metrics, in a process and a container of
 * its own, so that the process that serves containers has no listener. It has no capability, reads
 * that file alone, and starts no process: the containers of a pod may share one limit of processes.
 */
#ifndef OCI_RDMA_NRI_SCRAPE_H
#define OCI_RDMA_NRI_SCRAPE_H

#include "nri/options.h"

/* A collector sends some hundred bytes. */
#define SCRAPE_REQUEST_MAX 8192
#define SCRAPE_FILE_MAX (64 * 1024)
/* One client is served after another, and none may take longer. */
#define SCRAPE_PATIENCE_MS 1000

/* Returns the exit status. It ends by SIGTERM or SIGINT. */
int scrape_run(const struct nri_options *options);

#endif
