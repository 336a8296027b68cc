/* SPDX-License-Identifier: Apache-2.0 */
/* Waits at most TRANSFER_PATIENCE_S for a completion */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "doctor/verbs/endpoint.h"
#include "doctor/verbs/trouble.h"

#define TRANSFER_PATIENCE_S 15

struct transfer_result {
	uint64_t bytes;            /* of a message */
	uint64_t bytes_per_second; /* with ENDPOINT_DEPTH messages in flight */
	uint64_t median_ns;        /* of one 8-byte write, from post to completion */
	uint64_t p99_ns;
	uint64_t writes; /* behind these two */
};

/* The write has an immediate value: the receive completion means that the data is in memory, the
 * writer's only that the other HCA has it. */
int transfer_expect(struct endpoint *to, struct trouble *trouble);
int transfer_send(struct endpoint *from, const struct endpoint_address *to, size_t bytes,
		  uint64_t seed, struct trouble *trouble);
int transfer_receive(struct endpoint *to, size_t bytes, uint64_t seed, struct trouble *trouble);

/* Latency and bandwidth of writes, in about a second */
int transfer_measure(struct endpoint *from, const struct endpoint_address *to, size_t bytes,
		     struct transfer_result *ret_result, struct trouble *trouble);

/* One line of evidence; returns text */
#define TRANSFER_TEXT_SIZE 256
const char *transfer_result_text(const struct transfer_result *result,
				 char text[TRANSFER_TEXT_SIZE]);

/* Sorts samples; returns the percentile (nearest rank). n > 0 */
uint64_t transfer_percentile(uint64_t *samples, size_t n, unsigned percent);

/* Words encode place and transfer, to find missing, misplaced and old data. */

#define PATTERN_OK SIZE_MAX

void pattern_fill(void *buffer, size_t bytes, uint64_t seed);

/* Offset of the first wrong byte, or PATTERN_OK */
size_t pattern_find_error(const void *buffer, size_t bytes, uint64_t seed);
