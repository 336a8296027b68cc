/* SPDX-License-Identifier: Apache-2.0 */
/* The system calls and capabilities that a hook keeps */
#pragma once

#include "core/confine/confine.h"

extern const struct confinement hook_confinement;
