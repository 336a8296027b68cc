/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OCI_RDMA_EVENTS_OPTIONS_H
#define OCI_RDMA_EVENTS_OPTIONS_H

#include "core/options.h"

#define EVENTS_NAME "oci-rdma-events"

struct events_options {
	struct options node;
	const char *account; /* the directory of the service account's token and CA */
};

/* Returns -1 to go on with *ret_options, or the exit status. */
int events_options_parse(int argc, char **argv, struct events_options *ret_options);

#endif
