/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OCI_RDMA_NRI_CHECK_H
#define OCI_RDMA_NRI_CHECK_H

#include "nri/options.h"

/* Says whether NRI is on here, and what the plugin does. Returns 0 if one is connected or waits to
 * take over, else 1. */
int nri_check(const struct nri_options *options);

#endif
