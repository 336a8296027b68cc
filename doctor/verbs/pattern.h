/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data whose every word says where it belongs and to which transfer: what was not written, was
 * written elsewhere, or is of the transfer before, is found.
 */
#ifndef OCI_RDMA_VERBS_PATTERN_H
#define OCI_RDMA_VERBS_PATTERN_H

#include <stddef.h>
#include <stdint.h>

/* What pattern_find_error returns when all of it is right */
#define PATTERN_OK SIZE_MAX

/* What a seed gives, the same each time */
void pattern_fill(void *buffer, size_t bytes, uint64_t seed);

/* The offset of the first byte that is wrong, or PATTERN_OK. */
size_t pattern_find_error(const void *buffer, size_t bytes, uint64_t seed);

#endif
