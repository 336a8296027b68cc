/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which entry points (hook, precreate, shim, NRI plugin) a node has, for reports to people, which
 * name for each value the entry point that sets it. Whether they can work is what
 * `oci-rdma-admin --check-config` and the doctor check.
 */
#pragma once

#include <stdbool.h>

#include "core/base/arena.h"
#include "core/base/err.h"

enum way {
	WAY_HOOK = 1 << 0,      /* a hooks.d file runs it: createRuntime or prestart */
	WAY_PRECREATE = 1 << 1, /* such a file of podman's */
	WAY_SHIM = 1 << 2,      /* an engine's configuration names it */
	WAY_NRI = 1 << 3,       /* the plugin is connected */
};

/*
 * sysroot: a directory descriptor; recorded: it is not "/". *ret_ways: a mask of WAY_*. A file that
 * cannot be read counts as one that does not exist. Returns 0, or -1 without memory.
 */
int ways_find(struct arena *arena, int sysroot, bool recorded, unsigned *ret_ways, struct err *err);

struct ways_names {
	char text[48];
};

/* "hook, NRI"; "" for none */
struct ways_names ways_names(unsigned ways);
