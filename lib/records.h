/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/record/record.h"

/*
 * How many records there are of each result, of the last window_ms alone (0: of all). sysroot: a
 * directory descriptor. Adds to ret_n. Returns 0, or -1.
 */
int records_count(int sysroot, int64_t window_ms, size_t ret_n[RECORD_RESULTS], struct err *err);
