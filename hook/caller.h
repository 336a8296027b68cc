/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/arena.h"

/* Its --bundle (or -b), or NULL */
const char *caller_bundle(struct arena *arena, pid_t pid);

bool caller_is_crun(struct arena *arena, pid_t pid);
