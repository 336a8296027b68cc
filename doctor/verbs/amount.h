/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts as people write them */
#ifndef OCI_RDMA_VERBS_AMOUNT_H
#define OCI_RDMA_VERBS_AMOUNT_H

#include <stdint.h>
#include <sys/resource.h>

#define AMOUNT_SIZE 80 /* for five units */

/* "8 MiB", "8 MiB + 4 KiB", "100 bytes": exact */
const char *amount_text(uint64_t bytes, char text[AMOUNT_SIZE]);

/* The same, or "unlimited" */
const char *amount_limit(rlim_t limit, char text[AMOUNT_SIZE]);

/* "1.23 GB/s = 9.8 Gb/s", of bytes in nanoseconds: decimal, as links and NCCL count */
const char *amount_rate(double bytes_per_second, char text[AMOUNT_SIZE]);

/* "1.62 us", of nanoseconds */
const char *amount_time(uint64_t ns, char text[AMOUNT_SIZE]);

#endif
