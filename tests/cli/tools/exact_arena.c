/* SPDX-License-Identifier: Apache-2.0 */
/* An arena, each of whose allocations is one of malloc's (tests/safety.mk) */
#define ARENA_EXACT
#include "core/base/arena.c"
