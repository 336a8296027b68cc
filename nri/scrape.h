/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "nri/nri_options.h"

/* --serve-metrics serves the file of --metrics by HTTP in its own container, so that the plugin has
 * no listener. No capability; no child, because the containers of a pod may share a pids limit. */

/* A collector sends a few hundred bytes */
#define SCRAPE_REQUEST_MAX 8192
#define SCRAPE_FILE_MAX (64 * 1024)
/* Per client; a busy collector gives up after 10 s */
#define SCRAPE_PATIENCE_MS 5000

int scrape_run(const struct nri_options *options);
