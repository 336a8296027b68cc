/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA writes between two connected endpoints, verified and measured. Nothing here waits longer
 * than TRANSFER_PATIENCE_S for a completion. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "doctor/verbs/endpoint.h"
#include "doctor/verbs/trouble.h"

#define TRANSFER_PATIENCE_S 15

struct transfer_result {
	uint64_t bytes;            /* of a message */
	uint64_t bytes_per_second; /* with ENDPOINT_DEPTH messages under way */
	uint64_t median_ns;        /* of one write of 8 bytes, from its post to its completion */
	uint64_t p99_ns;
	uint64_t writes; /* of which these two are */
};

/* A verified transfer has three parts, the first and third at the receiving end: the write carries
 * an immediate value, since the writer's completion says only that the other HCA has the data; that
 * it is in memory is the receive completion's promise. */
int transfer_expect(struct endpoint *to, struct trouble *trouble);
int transfer_send(struct endpoint *from, const struct endpoint_address *to, size_t bytes,
		  uint64_t seed, struct trouble *trouble);
int transfer_receive(struct endpoint *to, size_t bytes, uint64_t seed, struct trouble *trouble);

/* Bandwidth and latency of writes from one to the other, in about a second */
int transfer_measure(struct endpoint *from, const struct endpoint_address *to, size_t bytes,
		     struct transfer_result *ret_result, struct trouble *trouble);

/* "1.2 GB/s (9.6 Gb/s), writes of 1 MiB; latency 1.62 us median, 2.01 us 99th percentile" */
#define TRANSFER_TEXT_SIZE 256
const char *transfer_result_text(const struct transfer_result *result,
				 char text[TRANSFER_TEXT_SIZE]);

/* Sorts samples; the value that percent of them do not exceed (nearest rank). n > 0 */
uint64_t transfer_percentile(uint64_t *samples, size_t n, unsigned percent);

/* Data whose every word says where it belongs and to which transfer: what was not written, was
 * written elsewhere, or is of the transfer before, is found. */

/* What pattern_find_error returns when all of it is right */
#define PATTERN_OK SIZE_MAX

/* What a seed gives, the same each time */
void pattern_fill(void *buffer, size_t bytes, uint64_t seed);

/* The offset of the first byte that is wrong, or PATTERN_OK. */
size_t pattern_find_error(const void *buffer, size_t bytes, uint64_t seed);
