/* SPDX-License-Identifier: Apache-2.0 */
/* --check-config: the engines' handlers and runtimes that are the shim */
#ifndef OCI_RDMA_CHECK_ENGINES_H
#define OCI_RDMA_CHECK_ENGINES_H

#include "admin/engine/crio.h"
#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/policy/policy.h"

/* What was found of a file of an engine's */
struct engine_result {
	const char *file;
	const char *note;    /* behind "ok": "", or begins with a space */
	const char *problem; /* a line that names it; NULL: it is right */
};

struct engines {
	struct arena *arena; /* in which all that is found lives */
	int root;            /* the node */
	const struct crio *crio;
	const struct config *config; /* NULL: it cannot be read, and says nothing of runtimes */
	/* Is given each result. Returns 0 or -1. */
	int (*take)(void *context, const struct engine_result *result, struct err *err);
	void *context;
};

/* Looks at CRI-O's handlers, containerd's, with all its files, and Docker's runtimes. An engine
 * without the shim is not spoken of. Returns 0 or -1. */
int check_engines(const struct engines *engines, struct err *err);

#endif
