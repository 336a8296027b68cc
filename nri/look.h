/* SPDX-License-Identifier: Apache-2.0 */
/* In a child: decides about each container that was there before the plugin, and mends it. */
#ifndef OCI_RDMA_NRI_LOOK_H
#define OCI_RDMA_NRI_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/options.h"
#include "nri/synchronize.h"

struct look {
	const struct options *options;
	const struct synchronize *synchronize;
	const char *since; /* when the plugin was connected */
};

enum look_kind {
	LOOK_MISSED,
	LOOK_MENDED,
	LOOK_UNSEEN, /* it could not be decided about */
	LOOK_END,    /* all were looked at: without it the child has ended early */
};

/* Goes through the pipe as it is: less than PIPE_BUF, so at once. */
struct look_report {
	uint32_t kind;  /* enum look_kind */
	uint32_t known; /* it was reported after an earlier connection */
	char id[132];
	char who[400]; /* "team-a/h-kim-0/trainer" */
};

/* Reports to out. Ends early if nobody reads there any more. */
void look_at_all(const struct look *look, int out);

#endif
