/* SPDX-License-Identifier: Apache-2.0 */
/* A node's entry points, for reports; --check-config and the doctor check whether they work. */
#pragma once

#include <stdbool.h>

#include "core/base/arena.h"
#include "core/base/err.h"

enum way {
	WAY_HOOK = 1 << 0,      /* hooks.d: createRuntime or prestart */
	WAY_SHIM = 1 << 1,      /* an engine's configuration */
	WAY_PRECREATE = 1 << 2, /* podman's hooks.d file */
	WAY_NRI = 1 << 3,       /* connected */
};

/* recorded: sysroot is not "/". *ret_ways: a mask of WAY_*. Unreadable files count as absent */
int ways_find(struct arena *arena, int sysroot, bool recorded, unsigned *ret_ways, struct err *err);

struct ways_names {
	char text[48];
};

/* "hook, NRI"; "" for none */
struct ways_names ways_names(unsigned ways);
