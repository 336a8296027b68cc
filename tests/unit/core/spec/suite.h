/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tests/unit/unit.h"

#include "core/spec/spec.h"

#define CHOWN (UINT64_C(1) << 0)
#define IPC_LOCK (UINT64_C(1) << 14)
#define MEMLOCK(soft, hard) "{\"type\":\"RLIMIT_MEMLOCK\",\"soft\":" soft ",\"hard\":" hard "}"

int parse(struct arena *arena, const char *text, struct spec *spec, struct err *err);
void must_parse(struct arena *arena, const char *text, struct spec *spec);
