/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics, in Prometheus' text format */
#pragma once

#include <stdint.h>

#include "core/base/err.h"
#include "lib/nri_status.h"

/* They are written as often without a change: that is how a plugin that has ended is known. */
#define METRICS_EACH_MS 15000
/* What takes longer hangs. */
#define METRICS_PATIENCE_MS 5000
/* Containers that were decided about so lately are counted. */
#define METRICS_WINDOW_MS (30 * 60 * INT64_C(1000))

/* In place of the last ones, by rename */
int metrics_write(const char *path, const char *sysroot, const struct nri_status *status,
		  struct err *err);
