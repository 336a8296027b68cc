/* SPDX-License-Identifier: Apache-2.0 */
/* UCX, NVSHMEM, DeepEP, gloo: environment only, never by hooks */
#pragma once

#include "core/plan/planning.h"

void framework_settings(const struct planning *p);
