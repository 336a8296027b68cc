/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

#include "core/base/err.h"
#include "lib/nri_status.h"

/* Rewritten unchanged: an old file shows that the plugin has ended */
#define METRICS_EACH_MS 15000
#define METRICS_PATIENCE_MS 5000
#define METRICS_WINDOW_MS (30 * 60 * INT64_C(1000))

/* Replaces the file by rename(2) */
int metrics_write(const char *path, const char *sysroot, const struct nri_status *status,
		  struct err *err);
