/* SPDX-License-Identifier: Apache-2.0 */
/* Why a container gets less */
#pragma once

#include <stdint.h>

#include "core/base/arena.h"
#include "core/plan/planning.h"

#define NO_DEVICE "no RDMA device allocated"

const char *asked_how(const struct planning *p);
const char *tcp_reason(const struct planning *p);
const char *no_device_reason(const struct planning *p);
const char *namespace_reason(const struct planning *p);
const char *memory_reason(const struct planning *p);
const char *shortage_reason(const struct planning *p);
const char *withheld_reason(struct arena *arena, uint64_t capabilities);
