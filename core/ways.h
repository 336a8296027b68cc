/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ways in that a node has: what stands in its engines' configuration, and what the NRI plugin
 * says of itself. For people, so that nobody takes for given what only another way gives.
 */
#ifndef OCI_RDMA_WAYS_H
#define OCI_RDMA_WAYS_H

#include <stdbool.h>

#include "core/base/arena.h"
#include "core/base/err.h"

enum way {
	WAY_HOOK = 1 << 0,      /* a hooks.d file that is right, createRuntime or prestart */
	WAY_PRECREATE = 1 << 1, /* such a file of podman's */
	WAY_SHIM = 1 << 2,      /* an engine's configuration names it */
	WAY_NRI = 1 << 3,       /* the plugin is connected */
};

/*
 * sysroot: a directory descriptor; recorded: it is not "/". *ret_ways: WAY_*. What cannot be read
 * is not there. Returns 0, or -1 without memory.
 */
int ways_find(struct arena *arena, int sysroot, bool recorded, unsigned *ret_ways, struct err *err);

struct ways_names {
	char text[48];
};

/* "hook, NRI"; "" for none */
struct ways_names ways_names(unsigned ways);

#endif
