/* SPDX-License-Identifier: Apache-2.0 */
/* The NRI plugin's plugin.c with minutes of patience (tests/safety.mk) */
#define SERVE_PATIENCE_MS 600000
#include "nri/plugin.c"
