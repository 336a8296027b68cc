/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in the way without stopping us: for the dry run and the log. */
#ifndef OCI_RDMA_WARNING_H
#define OCI_RDMA_WARNING_H

#include <stddef.h>

#include "core/base/arena.h"

/* Enough for any real container; a pod that provokes more learns nothing new from the rest. */
#define WARNINGS_MAX 128

struct warning {
	const char *code; /* stable, for scripts */
	const char *message;
};

struct warnings {
	struct warning *item;
	size_t n;
	size_t room;
};

/* Returns 0, or -1 without memory. What does not fit below WARNINGS_MAX is left out. */
int warnings_add(struct arena *arena, struct warnings *warnings, const char *code,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
