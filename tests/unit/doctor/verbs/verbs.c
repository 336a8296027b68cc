/* SPDX-License-Identifier: Apache-2.0 */
/* What the doctor's verbs part decides by itself; what devices answer is tested in the VM. */
#include "tests/unit/unit.h"

#include <arpa/inet.h>

#include "doctor/verbs/transfer.h"
#include "doctor/verbs/verbs.h"

/* ---- the GID that NCCL takes ---- */

#define SLOTS 8

static const struct gid_case {
	const char *name;
	const char *slots; /* "1" or "2" for RoCE v1, v2, then the address; "-" is empty */
	size_t nccl;
	size_t usable;
} gid_cases[] = {
	{"gid: IPv6 before IPv4",
	 "1fe80::1 2fe80::1 1fd00::7 2fd00::7 1::ffff:10.0.0.7 2::ffff:10.0.0.7", 5, 5},
	{"gid: two IPv4 addresses: the first v2",
	 "1fe80::1 2fe80::1 1::ffff:10.0.0.7 2::ffff:10.0.0.7 1::ffff:10.0.0.8 2::ffff:10.0.0.8", 3,
	 3},
	{"gid: the first address is gone",
	 "1fe80::1 2fe80::1 - - 1::ffff:10.0.0.8 2::ffff:10.0.0.8", 5, 5},
	{"gid: rdma_rxe has v2 only", "2fe80::1 2::ffff:10.0.0.7", 1, 1},
	{"gid: IPv4 in slot 0, v1", "1::ffff:10.0.0.7 2::ffff:10.0.0.7", 1, 1},
	{"gid: IPv4 in slot 0, v2: it stays", "2::ffff:10.0.0.7 2::ffff:10.0.0.8", 0, 0},
	{"gid: v1 IPv4 alone is better than link-local", "1fe80::1 2fe80::1 1::ffff:10.0.0.7", 2,
	 2},
	{"gid: v1 alone, two addresses: the first", "1fe80::1 1::ffff:10.0.0.7 1::ffff:10.0.0.8", 1,
	 1},
	{"gid: no IPv4 address: NCCL stays at 0", "1fe80::1 2fe80::1 1fd00::7 2fd00::7", 0, 0},
	{"gid: slot 0 empty: NCCL stays there, we do not", "- 2fe80::1", 0, 1},
	{"gid: all empty", "- - -", 0, 3},
};

static size_t make_table(const char *slots, struct gid_entry entries[SLOTS])
{
	char copy[256];
	char *rest = NULL;
	size_t n = 0;

	(void)snprintf(copy, sizeof(copy), "%s", slots);
	for (char *slot = strtok_r(copy, " ", &rest); slot; slot = strtok_r(NULL, " ", &rest)) {
		entries[n] = (struct gid_entry){.type = GID_TYPE_NONE};
		if (*slot != '-') {
			entries[n].type =
				*slot == '1' ? IBV_GID_TYPE_ROCE_V1 : IBV_GID_TYPE_ROCE_V2;
			assert_int_equal(inet_pton(AF_INET6, slot + 1, entries[n].gid.raw), 1);
		}
		n++;
	}
	return n;
}

UNIT_ROWS(gid_cases)
{
	struct gid_entry entries[SLOTS];
	size_t n = make_table(row->slots, entries);

	assert_int_equal(gid_nccl_index(entries, n), row->nccl);
	assert_int_equal(gid_usable_index(entries, n, false), row->usable);
}

UNIT_TEST("gid: InfiniBand takes 0, and rails are told apart by their bits")
{
	struct gid_entry entries[SLOTS];

	assert_int_equal(
		gid_usable_index(entries, make_table("2fe80::1 2::ffff:10.0.0.7", entries), true),
		0);
	make_table("2::ffff:10.0.103.7 2::ffff:10.0.103.9 2::ffff:10.0.104.7", entries);
	assert_int_equal(gid_common_bits(&entries[0].gid, &entries[0].gid), 128);
	assert_int_equal(gid_common_bits(&entries[0].gid, &entries[1].gid), 124);
	assert_int_equal(gid_common_bits(&entries[0].gid, &entries[2].gid), 116);
}

/* ---- verified data ---- */

static const struct pattern_case {
	const char *name;
	size_t bytes;
	size_t changed; /* the byte that is flipped */
} pattern_cases[] = {
	{"pattern: the last byte", 4096, 4095},
	{"pattern: a last word that is not whole", 4099, 4098},
	{"pattern: one byte", 1, 0},
};

UNIT_ROWS(pattern_cases)
{
	unsigned char *data = malloc(row->bytes);

	assert_non_null(data);
	pattern_fill(data, row->bytes, 7);
	assert_true(pattern_find_error(data, row->bytes, 7) == PATTERN_OK);
	for (unsigned bit = 0; bit < 8; bit++) {
		data[row->changed] ^= (unsigned char)(1U << bit);
		assert_int_equal(pattern_find_error(data, row->bytes, 7), row->changed);
		data[row->changed] ^= (unsigned char)(1U << bit);
	}
	free(data);
}

UNIT_TEST("pattern: every word knows its place and transfer")
{
	unsigned char data[4096];
	unsigned char page[1024];

	pattern_fill(data, sizeof(data), 7);
	assert_int_equal(pattern_find_error(data, sizeof(data), 8), 0);
	memcpy(page, data + 1024, sizeof(page));
	memcpy(data + 1024, data + 2048, sizeof(page));
	assert_int_equal(pattern_find_error(data, sizeof(data), 7), 1024);
	memcpy(data + 1024, page, sizeof(page));
	assert_true(pattern_find_error(data, sizeof(data), 7) == PATTERN_OK);
	memset(data, 0, sizeof(data));
	assert_int_equal(pattern_find_error(data, sizeof(data), 7), 0);
}

/* ---- the limit ---- */

#define PAGE ((size_t)4096)
#define MIB ((size_t)1 << 20)

/* Kernels for GH200 and GB200 nodes may have larger ones. */
#define LARGE_PAGE ((size_t)65536)

static const struct limit_case {
	const char *name;
	size_t page, limit, max; /* bytes */
	size_t most, refused;    /* with ENOMEM; 0: none is */
} limit_cases[] = {
	{"limit: a page less than 8 MiB", PAGE, 8 * MIB - PAGE, 256 * MIB, 8 * MIB - PAGE, 8 * MIB},
	{"limit: between two that are tried", PAGE, 6 * MIB, 256 * MIB, 6 * MIB, 6 * MIB + PAGE},
	{"limit: not a whole page", PAGE, 3 * PAGE + 100, 256 * MIB, 3 * PAGE, 4 * PAGE},
	{"limit: nothing at all", PAGE, 0, 256 * MIB, 0, PAGE},
	{"limit: the maximum is no power of two", PAGE, SIZE_MAX, 3 * MIB, 3 * MIB, 0},
	{"limit: just below such a maximum", PAGE, 3 * MIB - 1, 3 * MIB, 3 * MIB - PAGE, 3 * MIB},
	{"limit: the maximum is no whole page", PAGE, SIZE_MAX, MIB + 5, MIB, 0},
	{"limit, 64 KiB pages: half of what is left is no whole page", LARGE_PAGE, 6 * LARGE_PAGE,
	 7 * LARGE_PAGE, 6 * LARGE_PAGE, 7 * LARGE_PAGE},
};

struct attempts {
	size_t page;
	size_t limit;
	size_t max;
	unsigned n;
};

static int attempt(void *context, size_t bytes)
{
	struct attempts *attempts = context;

	assert_true(bytes > 0 && bytes % attempts->page == 0 && bytes <= attempts->max);
	attempts->n++;
	return bytes > attempts->limit ? ENOMEM : 0;
}

UNIT_ROWS(limit_cases)
{
	struct attempts attempts = {.page = row->page, .limit = row->limit, .max = row->max};
	struct registration got = registration_search(attempt, &attempts, row->page, row->max);

	assert_int_equal(got.most, row->most);
	assert_int_equal(got.refused, row->refused);
	assert_int_equal(got.errnum, row->refused ? ENOMEM : 0);
	assert_true(attempts.n <= 40);
}

/* ---- words ---- */

UNIT_TEST("amount: bytes, limits, rates, times")
{
	char text[AMOUNT_SIZE];

	assert_string_equal(amount_text(0, text), "0 bytes");
	assert_string_equal(amount_text(1, text), "1 byte");
	assert_string_equal(amount_text((8 << 20) + 4096, text), "8 MiB + 4 KiB");
	assert_string_equal(amount_text(1025, text), "1 KiB + 1 byte");
	assert_string_equal(amount_text(UINT64_MAX, text),
			    "16777215 TiB + 1023 GiB + 1023 MiB + 1023 KiB + 1023 bytes");
	assert_string_equal(amount_limit(RLIM_INFINITY, text), "unlimited");
	assert_string_equal(amount_limit(65536, text), "64 KiB");
	assert_string_equal(amount_rate(48.7e9, text), "48.7 GB/s (390 Gb/s)");
	assert_string_equal(amount_time(1620, text), "1.62 us");
}

static const struct trouble_case {
	const char *name;
	int status; /* of a completion; or -errno of a call */
	uint32_t vendor_err;
	const char *call, *evidence, *remedy;
} trouble_cases[] = {
	{"trouble: GPUDirect behind an IOMMU", IBV_WC_LOC_PROT_ERR, 0x51, NULL,
	 "IBV_WC_LOC_PROT_ERR (status 4, vendor_err 81 = 0x51)", "not memlock: the IOMMU or ACS"},
	{"trouble: LOC_PROT_ERR of another kind", IBV_WC_LOC_PROT_ERR, 0x53, NULL, "vendor_err 83",
	 "wrong local key"},
	{"trouble: no answer", IBV_WC_RETRY_EXC_ERR, 0x81, NULL,
	 "IBV_WC_RETRY_EXC_ERR (status 12, vendor_err 129 = 0x81)",
	 "GIDs in one subnet or with a route"},
	{"trouble: a status of tomorrow", 77, 0, NULL, "unknown status (status 77", "kernel log"},
	{"trouble: ENOMEM of a registration", -ENOMEM, 0, "ibv_reg_mr",
	 "ibv_reg_mr: ENOMEM (Cannot allocate memory)", "RLIMIT_MEMLOCK"},
	{"trouble: the rdma cgroup", -EAGAIN, 0, "ibv_reg_mr", "EAGAIN", "rdma.max"},
	{"trouble: the peer's address does not resolve", -ETIMEDOUT, 0, "ibv_modify_qp to RTR",
	 "ETIMEDOUT", "ip neigh"},
	{"trouble: the GID is gone", -EINVAL, 0, "ibv_modify_qp to RTR", "EINVAL",
	 "the GID is gone"},
	{"trouble: a driver without dma-buf", -EOPNOTSUPP, 0, "ibv_reg_dmabuf_mr",
	 "ibv_reg_dmabuf_mr: EOPNOTSUPP", "nvidia_peermem"},
	{"trouble: an errno without a name", -4711, 0, "ibv_reg_mr", "errno 4711", "kernel log"},
};

UNIT_ROWS(trouble_cases)
{
	struct trouble trouble;

	if (row->call)
		assert_int_equal(trouble_call(&trouble, -row->status, row->call), -1);
	else
		assert_int_equal(trouble_completion(&trouble, row->status, row->vendor_err), -1);
	assert_has(trouble.text, row->evidence);
	assert_has(trouble_remedy(&trouble), row->remedy);
}

UNIT_TEST("percentile: nearest rank")
{
	uint64_t samples[100], one = 42;

	for (size_t i = 0; i < LENGTH(samples); i++)
		samples[i] = 100 - i;
	assert_int_equal(transfer_percentile(samples, LENGTH(samples), 50), 50);
	assert_int_equal(transfer_percentile(samples, 3, 50), 2);
	assert_int_equal(transfer_percentile(samples, LENGTH(samples), 100), 100);
	assert_int_equal(transfer_percentile(&one, 1, 50), 42);
	assert_int_equal(transfer_percentile(&one, 1, 99), 42);
}

/* ---- two that are measured at once ---- */

#define SLOW_NS 1000000
#define SAMPLES 20 /* at least so many writes are measured */

/* Completes each request when it is asked for the first time; a slow one takes a millisecond. */
struct fake {
	struct ibv_context context;
	struct ibv_cq cq;
	struct ibv_qp qp;
	struct ibv_mr mr;
	char buffer[4096];
	struct endpoint endpoint;
	struct fake *other; /* is measured in the middle of this one's last needed write; NULL */
	unsigned small;     /* writes of the latency's measurement */
	struct transfer_result result;
};

static void measure(struct fake *fake)
{
	const struct endpoint_address peer = {0};
	struct trouble trouble;

	assert_int_equal(transfer_measure(&fake->endpoint, &peer, sizeof(fake->buffer),
					  &fake->result, &trouble),
			 0);
}

static int fake_post(struct ibv_qp *qp, struct ibv_send_wr *request, struct ibv_send_wr **bad)
{
	struct fake *fake = qp->qp_context;

	(void)bad;
	fake->small += request->sg_list->length == 8;
	return 0;
}

static int fake_poll(struct ibv_cq *cq, int n, struct ibv_wc *completion)
{
	const struct timespec slow = {.tv_nsec = SLOW_NS};
	struct fake *fake = cq->cq_context;

	(void)n;
	if (fake->other) {
		(void)nanosleep(&slow, NULL);
		if (fake->small == SAMPLES)
			measure(fake->other);
	}
	*completion = (struct ibv_wc){.status = IBV_WC_SUCCESS};
	return 1;
}

static void open_fake(struct fake *fake, struct fake *other)
{
	*fake = (struct fake){.other = other};
	fake->context.ops.post_send = fake_post;
	fake->context.ops.poll_cq = fake_poll;
	fake->cq.context = &fake->context;
	fake->cq.cq_context = fake;
	fake->qp.context = &fake->context;
	fake->qp.qp_context = fake;
	fake->endpoint = (struct endpoint){
		.cq = &fake->cq,
		.qp = &fake->qp,
		.mr = &fake->mr,
		.buffer = fake->buffer,
		.bytes = sizeof(fake->buffer),
	};
}

/* A listening doctor serves its clients side by side, in threads. */
UNIT_TEST("transfer: two that are measured at once do not mix their times")
{
	static struct fake slow;
	static struct fake fast;

	open_fake(&fast, NULL);
	open_fake(&slow, &fast);
	measure(&slow);
	assert_true(fast.result.writes >= SAMPLES);
	assert_true(slow.result.writes >= SAMPLES);
	assert_true(slow.result.median_ns >= SLOW_NS);
}

/* ---- where there is no RDMA ---- */

UNIT_TEST("verbs: without devices it says so")
{
	const struct verbs_options options = {.pair = true, .connect = "127.0.0.1"};
	WITH_ARENA;
	struct findings findings = {.arena = &arena};

	if (access("/sys/class/infiniband_verbs", F_OK) == 0)
		skip();
	assert_int_equal(verbs_check(&findings, &options, &err), 0);
	assert_int_equal(findings.n, 1);
	assert_string_equal(findings.item[0].id, "verbs_library");
	assert_int_equal(findings.item[0].status, FINDING_UNCHECKED);
	assert_true(findings.item[0].remedy[0]);
	assert_int_equal(verbs_register_dmabuf(&findings, &options, "GPU 0", 0, 0, 4096, &err), 0);
	assert_int_equal(findings.n, 1); /* that has been said */
}

int main(void)
{
	return unit_main("verbs");
}
