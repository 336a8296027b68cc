/* SPDX-License-Identifier: Apache-2.0 */
/* UCX's, NVSHMEM's, DeepEP's and gloo's variables: environment only, so no hook can set them */
#pragma once

#include "core/plan/planning.h"

void framework_settings(const struct planning *p);
