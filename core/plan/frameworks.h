/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of libraries beside NCCL */
#pragma once

#include "core/plan/planning.h"

/* Those of UCX, NVSHMEM, DeepEP and gloo, which read the environment alone: no hook can set them */
void framework_settings(const struct planning *p);
