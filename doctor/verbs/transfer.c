/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/transfer.h"

#include "lib/limits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Words of 8 bytes, little-endian everywhere */
static unsigned char byte_at(size_t place, uint64_t seed)
{
	uint64_t word = seed * 0x9e3779b97f4a7c15ULL + (place / 8 + 1) * 0xff51afd7ed558ccdULL;

	return (unsigned char)(word >> place % 8 * 8);
}

void pattern_fill(void *buffer, size_t bytes, uint64_t seed)
{
	unsigned char *at = buffer;

	for (size_t i = 0; i < bytes; i++)
		at[i] = byte_at(i, seed);
}

size_t pattern_find_error(const void *buffer, size_t bytes, uint64_t seed)
{
	const unsigned char *at = buffer;

	for (size_t i = 0; i < bytes; i++) {
		if (at[i] != byte_at(i, seed))
			return i;
	}
	return PATTERN_OK;
}

#define SECOND 1000000000ULL
#define MEASURE_NS (SECOND / 2) /* for bandwidth, and for latency */
#define SAMPLES_MAX 5000
#define SAMPLES_MIN 20
#define SMALL 8 /* bytes of a latency write */

/* HCAs answer within microseconds. */
#define SPIN_NS (SECOND / 500)
#define PAUSE_NS 50000

static uint64_t now(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static int wait_for_one(struct endpoint *endpoint, struct trouble *trouble)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	const uint64_t start = now();
	struct ibv_wc completion;

	for (;;) {
		int n = ibv_poll_cq(endpoint->cq, 1, &completion);
		uint64_t waited = now() - start;

		if (n < 0)
			return trouble_call(trouble, errno, "ibv_poll_cq");
		if (n > 0)
			break;
		if (waited > TRANSFER_PATIENCE_S * SECOND)
			return trouble_set(trouble, TROUBLE_SILENCE,
					   "no work completion within %d s", TRANSFER_PATIENCE_S);
		if (waited > SPIN_NS)
			(void)nanosleep(&pause, NULL);
	}
	if (completion.status == IBV_WC_SUCCESS)
		return 0;
	return trouble_set(trouble,
			   completion.status == IBV_WC_RETRY_EXC_ERR ? TROUBLE_SILENCE
								     : TROUBLE_VERBS,
			   "work completion: %s (status %d, vendor_err %u = 0x%x)",
			   endpoint->verbs->wc_status_str(completion.status),
			   (int)completion.status, completion.vendor_err, completion.vendor_err);
}

static int post(struct endpoint *from, const struct endpoint_address *to, size_t bytes,
		enum ibv_wr_opcode opcode, struct trouble *trouble)
{
	struct ibv_sge piece = {
		.addr = (uintptr_t)from->buffer,
		.length = (uint32_t)bytes,
		.lkey = from->mr->lkey,
	};
	struct ibv_send_wr request = {
		.sg_list = &piece,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = {.remote_addr = to->buffer, .rkey = to->rkey},
	};
	struct ibv_send_wr *bad;
	int error = ibv_post_send(from->qp, &request, &bad);

	return error ? trouble_call(trouble, error, "ibv_post_send") : 0;
}

int transfer_expect(struct endpoint *to, struct trouble *trouble)
{
	struct ibv_recv_wr request = {0};
	struct ibv_recv_wr *bad;
	int error;

	memset(to->buffer, 0, to->bytes);
	error = ibv_post_recv(to->qp, &request, &bad);
	return error ? trouble_call(trouble, error, "ibv_post_recv") : 0;
}

int transfer_send(struct endpoint *from, const struct endpoint_address *to, size_t bytes,
		  uint64_t seed, struct trouble *trouble)
{
	pattern_fill(from->buffer, bytes, seed);
	if (post(from, to, bytes, IBV_WR_RDMA_WRITE_WITH_IMM, trouble) < 0)
		return -1;
	return wait_for_one(from, trouble);
}

int transfer_receive(struct endpoint *to, size_t bytes, uint64_t seed, struct trouble *trouble)
{
	size_t wrong;

	if (wait_for_one(to, trouble) < 0)
		return -1;
	wrong = pattern_find_error(to->buffer, bytes, seed);
	if (wrong != PATTERN_OK)
		return trouble_set(
			trouble, TROUBLE_DATA,
			"wrong data from byte %zu of %zu, although the transfer completed", wrong,
			bytes);
	return 0;
}

static int measure_bandwidth(struct endpoint *from, const struct endpoint_address *to, size_t bytes,
			     struct transfer_result *result, struct trouble *trouble)
{
	const uint64_t start = now();
	size_t posted = 0;
	size_t done = 0;

	do {
		bool more = done == 0 || now() - start < MEASURE_NS;

		for (; more && posted - done < ENDPOINT_DEPTH; posted++) {
			if (post(from, to, bytes, IBV_WR_RDMA_WRITE, trouble) < 0)
				return -1;
		}
		if (wait_for_one(from, trouble) < 0)
			return -1;
		done++;
	} while (done < posted);
	result->bytes = bytes;
	result->bytes_per_second =
		(uint64_t)((double)done * (double)bytes * (double)SECOND / (double)(now() - start));
	return 0;
}

static int compare_samples(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t transfer_percentile(uint64_t *samples, size_t n, unsigned percent)
{
	size_t rank = (n * percent + 99) / 100;

	qsort(samples, n, sizeof(*samples), compare_samples);
	return samples[rank ? rank - 1 : 0];
}

static int measure_latency(struct endpoint *from, const struct endpoint_address *to,
			   struct transfer_result *result, struct trouble *trouble)
{
	static uint64_t samples[SAMPLES_MAX]; /* too large for a stack */
	const uint64_t start = now();
	size_t n = 0;

	while (n < SAMPLES_MAX && (n < SAMPLES_MIN || now() - start < MEASURE_NS)) {
		uint64_t begin = now();

		if (post(from, to, SMALL, IBV_WR_RDMA_WRITE, trouble) < 0 ||
		    wait_for_one(from, trouble) < 0)
			return -1;
		samples[n++] = now() - begin;
	}
	result->writes = n;
	result->median_ns = transfer_percentile(samples, n, 50);
	result->p99_ns = transfer_percentile(samples, n, 99);
	return 0;
}

int transfer_measure(struct endpoint *from, const struct endpoint_address *to, size_t bytes,
		     struct transfer_result *ret_result, struct trouble *trouble)
{
	struct trouble silence;

	if (measure_latency(from, to, ret_result, trouble) < 0)
		return -1;
	if (measure_bandwidth(from, to, bytes, ret_result, trouble) == 0)
		return 0;
	if (trouble->kind != TROUBLE_SILENCE)
		return -1;
	silence = *trouble;
	return trouble_set(
		trouble, TROUBLE_SILENCE,
		"%s; writes of %d bytes arrive, larger ones do not: an MTU on the way is "
		"too small, or packets get lost",
		silence.text, SMALL);
}

const char *transfer_result_text(const struct transfer_result *result,
				 char text[TRANSFER_TEXT_SIZE])
{
	const double rate = (double)result->bytes_per_second / 1e9;
	char bytes[LIMITS_TEXT_SIZE];

	/* Decimal, like links and NCCL */
	snprintf(text, TRANSFER_TEXT_SIZE,
		 "%.3g GB/s (%.3g Gb/s), writes of %s; latency %.2f us median, %.2f us 99th "
		 "percentile",
		 rate, rate * 8, limits_text(result->bytes, bytes), (double)result->median_ns / 1e3,
		 (double)result->p99_ns / 1e3);
	return text;
}
