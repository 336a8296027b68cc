/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts as people write them */
#ifndef OCI_RDMA_VERBS_AMOUNT_H
#define OCI_RDMA_VERBS_AMOUNT_H

#include <stdint.h>

#define AMOUNT_SIZE 80 /* for five units */

/* "8 MiB", "8 MiB + 4 KiB", "100 bytes": exact */
const char *amount_text(uint64_t bytes, char text[AMOUNT_SIZE]);

#endif
