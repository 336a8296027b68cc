/* SPDX-License-Identifier: Apache-2.0 */
/* What the hook drops before it works */
#pragma once

#include "core/confine/confine.h"

/* The system calls and capabilities that a hook needs for a grant */
extern const struct confinement hook_confinement;
