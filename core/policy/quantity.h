/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts of memory, as the config and the annotations write them. */
#ifndef OCI_RDMA_QUANTITY_H
#define OCI_RDMA_QUANTITY_H

#include <stdint.h>

#include "core/base/err.h"

/* RLIM_INFINITY, and what config.json spells 18446744073709551615 */
#define MEMLOCK_UNLIMITED UINT64_MAX

/*
 * An amount of memory in bytes: "unlimited", or digits with an optional suffix as Kubernetes has
 * them (Ki Mi Gi Ti Pi Ei: powers of 1024; k M G T P E: powers of 1000). 0 is refused: it would
 * take away what every container has.
 */
int quantity_parse(const char *text, uint64_t *ret_bytes, struct err *err);

#endif
