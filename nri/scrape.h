/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "nri/nri_options.h"

/* For clusters whose Prometheus scrapes pods. --serve-metrics serves --metrics' file by HTTP in its
 * own container: the plugin has no listener. No capability; no child: a pod's containers may share
 * a pids limit. */

/* Collectors send a few hundred bytes */
#define SCRAPE_REQUEST_MAX 8192
#define SCRAPE_FILE_MAX (64 * 1024)
/* Per client; busy collectors give up after 10 s */
#define SCRAPE_PATIENCE_MS 5000

/* Runs until SIGTERM or SIGINT. Returns the exit status */
int scrape_run(const struct nri_options *options);
