/* SPDX-License-Identifier: Apache-2.0 */
/* --serve-metrics */
#pragma once

#include "nri/nri_options.h"

/*
 * Answers a collector's HTTP requests with the file of --metrics, in a process and a container of
 * its own, so that the process that serves containers has no listener. It has no capability, reads
 * that file alone, and starts no process: the containers of a pod may share one limit of processes.
 */

/* A collector sends some hundred bytes. */
#define SCRAPE_REQUEST_MAX 8192
#define SCRAPE_FILE_MAX (64 * 1024)
/* No client may take longer. A collector on a busy node may be slow, and waits for 10 s. */
#define SCRAPE_PATIENCE_MS 5000

/* Returns the exit status. It ends by SIGTERM or SIGINT. */
int scrape_run(const struct nri_options *options);
