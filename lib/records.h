/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/record/record.h"

/* Adds counts per result to ret_n. window_ms: the last ones, or 0. sysroot: a descriptor. */
int records_count(int sysroot, int64_t window_ms, size_t ret_n[RECORD_RESULTS], struct err *err);
