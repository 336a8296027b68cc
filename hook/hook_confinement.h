/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/confine/confine.h"

extern const struct confinement hook_confinement;
