/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the shim needs for containers that have nothing to do with RDMA: which runtime is run, and
 * where the records are. A config that cannot be used must not change that.
 */
#ifndef OCI_RDMA_CHOICE_H
#define OCI_RDMA_CHOICE_H

#include "core/base/arena.h"
#include "core/policy/config.h"

enum choice {
	CHOICE_UNKNOWN, /* it cannot be read, is not to be trusted, or breaks off before "runtimes"
			 */
	CHOICE_FRONT,   /* it says "runtimes", but is no JSON behind that: there may be more */
	CHOICE_SAID,    /* it is JSON throughout; what it does not say has its default */
};

/* "runtimes" and "state_dir" of the file that config_load would read, whatever else is wrong with
 * it. They go into *config, whose other fields stay; not with CHOICE_UNKNOWN. */
enum choice choice_read(struct arena *arena, const char *sysroot, const char *path,
			struct config *config);

#endif
