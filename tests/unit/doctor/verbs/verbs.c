/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs part decides by itself; the VM tests devices. */
#include <arpa/inet.h>

#include "doctor/verbs/registration.h"
#include "doctor/verbs/transfer.h"
#include "doctor/verbs/verbs.h"
#include "lib/limits.h"
#include "tests/unit/unit.h"

/* ---- GIDs ---- */

UNIT_TEST("gid: rails are told apart by their bits")
{
	union ibv_gid gid[3];

	assert_int_equal(inet_pton(AF_INET6, "::ffff:10.0.103.7", gid[0].raw), 1);
	assert_int_equal(inet_pton(AF_INET6, "::ffff:10.0.103.9", gid[1].raw), 1);
	assert_int_equal(inet_pton(AF_INET6, "::ffff:10.0.104.7", gid[2].raw), 1);
	assert_int_equal(gid_common_bits(&gid[0], &gid[0]), 128);
	assert_int_equal(gid_common_bits(&gid[0], &gid[1]), 124);
	assert_int_equal(gid_common_bits(&gid[0], &gid[2]), 116);
}

/* ---- which device and port ---- */

static const struct match_case {
	const char *name, *only, *device;
	int port;
} match_cases[] = {
	{"device: any", NULL, "mlx5_6", 0},
	{"device: by its name", "mlx5_6", "mlx5_6", 0},
	{"device: its port", "mlx5_6:2", "mlx5_6", 2},
	{"device: the beginning of another name is none", "mlx5_10", "mlx5_1", -1},
	{"device: another name", "mlx5_1", "mlx5_10", -1},
	{"device: no port 0", "mlx5_6:0", "mlx5_6", -1},
	{"device: no port 256", "mlx5_6:256", "mlx5_6", -1},
	{"device: a port is a number", "mlx5_6:x", "mlx5_6", -1},
};

UNIT_ROWS(match_cases)
{
	assert_int_equal(verbs_device_match(row->only, row->device), row->port);
}

static const struct port_case {
	const char *name, *only;
	struct {
		enum ibv_port_state state;
		uint8_t layer;
		uint16_t lid;
		const char *gid; /* NULL: none */
	} port[2];
	unsigned used; /* 0: none */
} port_cases[] = {
	{"port: the first that is ACTIVE and has a GID",
	 NULL,
	 {{IBV_PORT_DOWN, IBV_LINK_LAYER_ETHERNET, 0, "fe80::1"},
	  {IBV_PORT_ACTIVE, IBV_LINK_LAYER_ETHERNET, 0, "fe80::1"}},
	 2},
	{"port: one without a GID is none, whatever its LID",
	 NULL,
	 {{IBV_PORT_ACTIVE, IBV_LINK_LAYER_ETHERNET, 7, NULL},
	  {IBV_PORT_DOWN, IBV_LINK_LAYER_ETHERNET, 0, NULL}},
	 0},
	{"port: of InfiniBand a LID is enough",
	 NULL,
	 {{IBV_PORT_ACTIVE, IBV_LINK_LAYER_INFINIBAND, 7, NULL},
	  {IBV_PORT_ACTIVE, IBV_LINK_LAYER_INFINIBAND, 8, "fe80::1"}},
	 1},
	{"port: the one that --device names",
	 "mlx5_6:2",
	 {{IBV_PORT_ACTIVE, IBV_LINK_LAYER_ETHERNET, 0, "fe80::1"},
	  {IBV_PORT_ACTIVE, IBV_LINK_LAYER_ETHERNET, 0, "fe80::2"}},
	 2},
};
static const struct port_case *port_row;
static struct ibv_context fake_context;

static struct ibv_device **fake_list(int *n)
{
	static struct ibv_device device, *list[] = {&device, NULL};

	*n = 1;
	return list;
}

static void fake_free_list(UNUSED struct ibv_device **list)
{
}

static const char *fake_name(UNUSED struct ibv_device *device)
{
	return "mlx5_6";
}

static struct ibv_context *fake_open(UNUSED struct ibv_device *device)
{
	return &fake_context;
}

static int fake_close(UNUSED struct ibv_context *context)
{
	return 0;
}

static int fake_query_device(UNUSED struct ibv_context *context, struct ibv_device_attr *attr)
{
	*attr = (struct ibv_device_attr){.phys_port_cnt = 2};
	return 0;
}

static int fake_query_port(UNUSED struct ibv_context *context, uint8_t number,
			   struct _compat_ibv_port_attr *ret)
{
	struct ibv_port_attr *attr = (struct ibv_port_attr *)ret;

	attr->state = port_row->port[number - 1].state;
	attr->link_layer = port_row->port[number - 1].layer;
	attr->lid = port_row->port[number - 1].lid;
	return 0;
}

static int fake_query_gid(UNUSED struct ibv_context *context, uint8_t number, UNUSED int index,
			  union ibv_gid *gid)
{
	const char *text = port_row->port[number - 1].gid;

	return text && inet_pton(AF_INET6, text, gid->raw) == 1 ? 0 : -1;
}

UNIT_ROWS(port_cases)
{
	const struct verbs verbs = {.get_device_list = fake_list,
				    .free_device_list = fake_free_list,
				    .get_device_name = fake_name,
				    .open_device = fake_open,
				    .close_device = fake_close,
				    .query_device = fake_query_device,
				    .query_port = fake_query_port,
				    .query_gid = fake_query_gid};
	const struct doctor doctor = {.options = {.device = row->only}};
	WITH_ARENA; /* owns the devices: freed after them */
	cleanup_verbs_devices devices = {0};
	int error;

	port_row = row;
	assert_int_equal(verbs_devices_open(&verbs, &doctor, &arena, &devices, &error), 0);
	assert_int_equal(devices.n, 1);
	assert_int_equal(devices.item[0].usable ? devices.item[0].port.number : 0, row->used);
}

/* ---- verified data ---- */

static const struct pattern_case {
	const char *name;
	size_t bytes;
	size_t changed; /* flipped byte */
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

static size_t limit; /* of the fake ibv_reg_mr */
static unsigned registrations;

static struct ibv_pd *fake_alloc_pd(UNUSED struct ibv_context *context)
{
	static struct ibv_pd pd;

	return &pd;
}

static int fake_dealloc_pd(UNUSED struct ibv_pd *pd)
{
	return 0;
}

static struct ibv_mr *fake_reg_mr(UNUSED struct ibv_pd *pd, void *address, size_t length,
				  UNUSED int access)
{
	static struct ibv_mr mr;
	volatile char *last = (char *)address + length - 1;

	registrations++;
	*last = 1; /* the whole range exists */
	errno = ENOMEM;
	return length > limit ? NULL : &mr;
}

static int fake_dereg_mr(UNUSED struct ibv_mr *mr)
{
	return 0;
}

static const struct limit_case {
	const char *name;
	long more;          /* bytes above 8 MiB */
	long most, refused; /* pages above 8 MiB */
} limit_cases[] = {
	{"limit: 8 MiB", 0, 0, 1},
	{"limit: a byte more is no page more", 1, 0, 1},
	{"limit: a byte less is a page less", -1, -1, 0},
};

static struct registration registered(size_t bytes)
{
	const struct verbs verbs = {.alloc_pd = fake_alloc_pd,
				    .dealloc_pd = fake_dealloc_pd,
				    .reg_mr = fake_reg_mr,
				    .dereg_mr = fake_dereg_mr};
	const struct verbs_device device = {0};
	struct registration got = {0};
	struct trouble trouble;

	limit = bytes;
	registrations = 0;
	assert_int_equal(registration_probe(&verbs, &device, &got, &trouble), 0);
	assert_true(registrations <= 20);
	return got;
}

UNIT_ROWS(limit_cases)
{
	const long page = sysconf(_SC_PAGESIZE), mib8 = 8 << 20;
	struct registration got = registered((size_t)(mib8 + row->more));

	assert_int_equal(got.most, mib8 + row->most * page);
	assert_int_equal(got.refused, mib8 + row->refused * page);
	assert_int_equal(got.errnum, ENOMEM);
}

UNIT_TEST("limit: nothing at all, and all of it")
{
	struct registration got = registered(0);

	assert_int_equal(got.most, 0);
	assert_int_equal(got.refused, sysconf(_SC_PAGESIZE));
	got = registered(SIZE_MAX);
	assert_int_equal(got.most, REGISTRATION_MAX);
	assert_int_equal(got.refused, 0);
}

/* ---- words ---- */

UNIT_TEST("amount: bytes, exact")
{
	char text[LIMITS_TEXT_SIZE];

	assert_string_equal(limits_text(0, text), "0 bytes");
	assert_string_equal(limits_text(8 << 20, text), "8 MiB");
	assert_string_equal(limits_text((8 << 20) + 4096, text), "8196 KiB");
	assert_string_equal(limits_text(1025, text), "1025 bytes");
	assert_string_equal(limits_text(UINT64_MAX, text), "unlimited");
}

UNIT_TEST("transfer: its figures")
{
	const struct transfer_result result = {65536, 48.7e9, 1620, 2010, 1};
	char text[TRANSFER_TEXT_SIZE];

	assert_string_equal(transfer_result_text(&result, text),
			    "48.7 GB/s (390 Gb/s), writes of 64 KiB; latency 1.62 us median, "
			    "2.01 us 99th percentile");
}

static const struct trouble_case {
	const char *name, *call;
	int errnum;
	const char *evidence, *remedy;
} trouble_cases[] = {
	{"trouble: ENOMEM of a registration", "ibv_reg_mr", ENOMEM,
	 "ibv_reg_mr: Cannot allocate memory (ENOMEM)", "oci-rdma-hook.io/inject"},
	{"trouble: the rdma cgroup", "ibv_reg_mr", EAGAIN, "EAGAIN", "rdma.max"},
	{"trouble: the peer's address does not resolve", "ibv_modify_qp", ETIMEDOUT, "ETIMEDOUT",
	 "ping the peer's RDMA address"},
	{"trouble: the GID is gone", "ibv_modify_qp", EINVAL, "EINVAL", "RoCE v2 entry"},
	{"trouble: a driver without dma-buf", "ibv_reg_dmabuf_mr", EOPNOTSUPP,
	 "ibv_reg_dmabuf_mr: Operation not supported (EOPNOTSUPP)", "open NVIDIA"},
	{"trouble: an errno without a name", "ibv_reg_mr", 4711, "errno 4711", "kernel log"},
};

UNIT_ROWS(trouble_cases)
{
	struct trouble trouble;

	assert_int_equal(trouble_call(&trouble, row->errnum, row->call), -1);
	assert_has(trouble.text, row->evidence);
	assert_has(trouble_remedy(&trouble), row->remedy);
}

/* ---- a completion that says why ---- */

static struct ibv_wc completion;

static int fake_poll_cq(UNUSED struct ibv_cq *cq, UNUSED int n, struct ibv_wc *ret)
{
	*ret = completion;
	return 1;
}

static const char *fake_status_str(UNUSED enum ibv_wc_status status)
{
	return "its name";
}

static const struct completion_case {
	const char *name;
	enum ibv_wc_status status;
	uint32_t vendor_err;
	const char *evidence, *remedy;
} completion_cases[] = {
	{"completion: GPUDirect behind an IOMMU", IBV_WC_LOC_PROT_ERR, 0x51,
	 "work completion: its name (status 4, vendor_err 81 = 0x51)", "iommu=pt"},
	{"completion: LOC_PROT_ERR of another kind", IBV_WC_LOC_PROT_ERR, 0x53, "vendor_err 83",
	 "NCCL_NET_GDR_LEVEL=LOC"},
	{"completion: no answer", IBV_WC_RETRY_EXC_ERR, 0x81, "(status 12, vendor_err 129 = 0x81)",
	 "GIDs in one subnet or with a route"},
	{"completion: a status of tomorrow", (enum ibv_wc_status)77, 0, "(status 77", "kernel log"},
};

UNIT_ROWS(completion_cases)
{
	const struct verbs verbs = {.wc_status_str = fake_status_str};
	struct ibv_context context = {.ops = {.poll_cq = fake_poll_cq}};
	struct ibv_cq cq = {.context = &context};
	struct endpoint endpoint = {.verbs = &verbs, .cq = &cq};
	struct trouble trouble;

	completion = (struct ibv_wc){.status = row->status, .vendor_err = row->vendor_err};
	assert_int_equal(transfer_receive(&endpoint, 0, 1, &trouble), -1);
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

/* ---- where there is no RDMA ---- */

UNIT_TEST("verbs: without devices it says so")
{
	const struct doctor doctor = {.options = {.connect = "127.0.0.1"}};
	WITH_ARENA;
	struct findings findings = {.arena = &arena};

	if (access("/sys/class/infiniband_verbs", F_OK) == 0)
		UNIT_SKIP("this machine has verbs devices");
	assert_int_equal(verbs_check(&findings, &doctor, false), 0);
	assert_int_equal(findings.n, 1);
	assert_string_equal(findings.item[0].id, "verbs_library");
	assert_int_equal(findings.item[0].status, FINDING_UNCHECKED);
	assert_true(findings.item[0].remedy[0]);
	assert_int_equal(verbs_register_gpus(&findings, &doctor, &(struct cuda_memory){0}, 1), 0);
	assert_int_equal(findings.n, 1); /* already reported */
}

int main(void)
{
	return unit_main("verbs");
}
