/* SPDX-License-Identifier: Apache-2.0 */
/* The hook's deadline.c with minutes of patience (tests/safety.mk) */
#define DEADLINE_SECONDS 600
#include "core/deadline.c"
